// Package apart lays out leaves in a process of its own, so that a console neither starts
// with the libraries for it nor holds them in memory. The process comes when it is needed,
// goes when it has not been for a while, and its death costs the leaf that it died of.
package apart

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"vise/ui/markdown/layout"
)

// Times of the process. Real leaves take milliseconds.
const (
	startLimit = 10 * time.Second // until it answers first, on a machine that does other things
	workLimit  = time.Second      // for one leaf; then it is killed
	restAfter  = time.Minute      // without a leaf: then it ends
	retryAfter = 5 * time.Second  // after a start that failed
)

// Engine is a layout.Engine.
type Engine struct {
	program func() (string, error)
	build   string
	rest    time.Duration

	mu     sync.Mutex // one question at a time; protects what follows
	worker *worker
	idle   *time.Timer
	known  map[string]bool // languages
	// failed is why the last start failed, and when another may be tried.
	failed  error
	retryAt time.Time
}

// maxKnown bounds the languages that are remembered.
const maxKnown = 1000

// New is an engine in the program that Program finds, which must be of the same build. No
// process is started yet.
func New() *Engine { return newEngine(Program, buildName()) }

func newEngine(program func() (string, error), build string) *Engine {
	return &Engine{program: program, build: build, rest: restAfter, known: map[string]bool{}}
}

// Ready is part of layout.Engine.
func (e *Engine) Ready() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ready()
}

// ready starts the process if there is none; e.mu is held.
func (e *Engine) ready() error {
	if e.worker != nil && !e.worker.hasEnded() {
		return nil
	}
	e.worker = nil
	if e.failed != nil && time.Now().Before(e.retryAt) {
		return e.failed
	}
	w, err := e.start()
	if err != nil {
		e.failed, e.retryAt = fmt.Errorf("%w: %w", layout.ErrAway, err), time.Now().Add(retryAfter)
		return e.failed
	}
	e.worker, e.failed = w, nil
	e.used()
	return nil
}

func (e *Engine) start() (*worker, error) {
	path, err := e.program()
	if err != nil {
		return nil, err
	}
	w, err := newWorker(exec.Command(path))
	if err != nil {
		return nil, err
	}
	hello, err := w.receive(startLimit)
	if err == nil && hello.Build != e.build {
		err = fmt.Errorf("%s is of another build", path)
	}
	if err != nil {
		w.end()
		return nil, err
	}
	return w, nil
}

// used puts off the end of a process that rests; e.mu is held.
func (e *Engine) used() {
	if e.idle == nil {
		e.idle = time.AfterFunc(e.rest, e.Close)
		return
	}
	e.idle.Reset(e.rest)
}

// Close ends the process. A later question starts another.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.worker != nil {
		e.worker.end()
		e.worker = nil
	}
}

// Prose is part of layout.Engine.
func (e *Engine) Prose(p layout.Prose) ([]string, error) {
	look := p.Look
	p.Look = layout.Look{}
	a, err := e.ask(question{Prose: &p}, look)
	return a.Lines, err
}

// Code is part of layout.Engine.
func (e *Engine) Code(c layout.Code) ([]string, bool, error) {
	e.mu.Lock()
	known, told := e.known[c.Language]
	e.mu.Unlock()
	if told && (!known || len(c.Lines) == 0) {
		return nil, known, nil
	}
	look := c.Look
	c.Look = layout.Look{}
	a, err := e.ask(question{Code: &c}, look)
	if err == nil {
		e.learn(c.Language, a.Known)
	}
	return a.Lines, a.Known, err
}

func (e *Engine) learn(language string, known bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.known) >= maxKnown {
		clear(e.known)
	}
	e.known[language] = known
}

// ask asks the process, and once more in a new one if it died: it may not have died of this.
func (e *Engine) ask(q question, look layout.Look) (answer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var err error
	for range 2 {
		if err := e.ready(); err != nil {
			return answer{}, err
		}
		var a answer
		if a, err = e.worker.ask(q, look); err == nil {
			e.used()
			if a.Err != "" {
				return answer{}, errors.New(a.Err)
			}
			return a, nil
		}
		e.worker.end()
		e.worker = nil
		if errors.Is(err, errSlow) {
			break
		}
	}
	return answer{}, err
}
