package markdown

import (
	"runtime"
	"time"
)

// Whole is the renderer of these tests. Its package imports this one, so only the tests outside of this package can set
// it.
var Whole Engine

// asked is an engine that renders by a function.
type asked func(Source) ([]string, error)

func (asked) Ready() error                        { return nil }
func (a asked) Render(s Source) ([]string, error) { return a(s) }

// Kill kills the process of p.
func (p *Subprocess) Kill() { _ = p.worker.cmd.Process.Kill() }

// Expect makes p expect another build.
func (p *Subprocess) Expect(build string) { p.build = func() string { return build } }

// EndsWhenIdle starts the process, makes it idle, and returns when it has ended.
func (p *Subprocess) EndsWhenIdle() bool {
	p.idle = time.Millisecond
	if p.Ready() != nil {
		return false
	}
	for {
		p.mu.Lock()
		ended := p.worker == nil
		if ended {
			p.idle = time.Minute
		}
		p.mu.Unlock()
		if ended {
			return true
		}
		runtime.Gosched()
	}
}

// Serving and SubprocessOf are serve and newSubprocess.
var (
	Serving      = serve
	SubprocessOf = newSubprocess
)
