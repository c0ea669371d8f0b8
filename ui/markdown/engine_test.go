package markdown

import "time"

// Whole is what renders in these tests. Its package imports this one, so that only the tests
// outside of this package can set it.
var Whole Engine

// asked is an engine that renders by a function.
type asked func(Source) ([]string, error)

func (asked) Ready() error                        { return nil }
func (a asked) Render(s Source) ([]string, error) { return a(s) }

// Kill kills the process behind p's back.
func (p *Subprocess) Kill() { _ = p.worker.cmd.Process.Kill() }

// Expect makes p want another build.
func (p *Subprocess) Expect(build string) { p.build = build }

// EndsWhenIdle starts the process, makes it idle, and reports whether it has ended then.
func (p *Subprocess) EndsWhenIdle() bool {
	p.idle = time.Millisecond
	if p.Ready() != nil {
		return false
	}
	p.mu.Lock()
	w := p.worker
	p.mu.Unlock()
	if w != nil {
		<-w.ended
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = time.Minute
	return p.worker == nil
}

// Serving and SubprocessOf are serve and newSubprocess.
var (
	Serving      = serve
	SubprocessOf = newSubprocess
)
