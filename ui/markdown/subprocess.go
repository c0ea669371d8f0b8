package markdown

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"vise/store/files"
)

// Time limits of a subprocess. Real blocks take milliseconds.
const (
	startLimit = 10 * time.Second // until the first answer, on a busy machine
	workLimit  = time.Second      // for one block; then the process is killed
	idleLimit  = time.Minute      // without a block; then the process ends
	retryAfter = 5 * time.Second  // the pause after a failed start
)

var (
	errKilled = fmt.Errorf("took longer than %v to lay out", workLimit)
	errEnded  = errors.New("the renderer ended over it")
)

// Subprocess is an Engine in another process, so that a program neither starts slowly because of the libraries nor holds them in memory.
// The process is started when it is needed and ends after an idle time. If it dies, only the block that killed it is lost.
type Subprocess struct {
	program func() (string, error)
	build   func() string // called when the process starts: most runs start none
	idle    time.Duration

	mu     sync.Mutex // one request at a time; protects the fields below
	worker *worker
	timer  *time.Timer // ends an idle worker
	// failed is the error of the last start. retryAt is when the next try is allowed.
	failed  error
	retryAt time.Time
}

// NewSubprocess returns an engine in the program that Program finds, which must be of the same build. It starts no process yet.
func NewSubprocess() *Subprocess { return newSubprocess(Program, buildName) }

func newSubprocess(program func() (string, error), build func() string) *Subprocess {
	return &Subprocess{program: program, build: build, idle: idleLimit}
}

// Ready implements Engine.
func (p *Subprocess) Ready() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ready()
}

// ready starts the process if there is none. The caller holds p.mu.
func (p *Subprocess) ready() error {
	if p.worker != nil {
		return nil
	}
	if p.failed != nil && time.Now().Before(p.retryAt) {
		return p.failed
	}
	w, err := p.start()
	if err != nil {
		p.failed, p.retryAt = fmt.Errorf("%w: %w", ErrNoEngine, err), time.Now().Add(retryAfter)
		return p.failed
	}
	p.worker, p.failed = w, nil
	p.used()
	return nil
}

func (p *Subprocess) start() (*worker, error) {
	path, err := p.program()
	if err != nil {
		return nil, err
	}
	w, err := newWorker(exec.Command(path))
	if err != nil {
		return nil, err
	}
	hello, err := w.answer(startLimit)
	if err == nil && hello.Build != p.build() {
		err = fmt.Errorf("%s is of another build", path)
	}
	if err != nil {
		w.end()
		return nil, err
	}
	return w, nil
}

// used restarts the idle time. The caller holds p.mu.
func (p *Subprocess) used() {
	if p.timer == nil {
		p.timer = time.AfterFunc(p.idle, p.Close)
		return
	}
	p.timer.Reset(p.idle)
}

// Close ends the process. A later request starts another.
func (p *Subprocess) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

func (p *Subprocess) end() {
	if p.worker != nil {
		p.worker.end()
		p.worker = nil
	}
}

// Render implements Engine. If the process died, it tries once more in a new one, because another block may have killed it.
func (p *Subprocess) Render(s Source) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for range 2 {
		if err := p.ready(); err != nil {
			return nil, err
		}
		var a answer
		if a, err = p.worker.answer(workLimit, s); err == nil {
			p.used()
			if a.Err != "" {
				return nil, errors.New(a.Err)
			}
			return a.Lines, nil
		}
		p.end()
		if errors.Is(err, errKilled) {
			break
		}
	}
	return nil, err
}

// worker is a process and its pipes. One goroutine at a time can use it. Whether it has ended shows at the next request.
type worker struct {
	cmd  *exec.Cmd
	send *json.Encoder
	read *json.Decoder
}

// newWorker starts the process. Its standard error is dropped, because the console owns the screen.
func newWorker(cmd *exec.Cmd) (*worker, error) {
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &worker{cmd: cmd, send: json.NewEncoder(to), read: json.NewDecoder(from)}, cmd.Start()
}

// end kills the process and waits for its end. Its exit status is ignored.
func (w *worker) end() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}

// answer returns the process' answer to sources, or its first message. If no answer comes in time, the process is killed. After errKilled
// and errEnded the worker cannot be used.
func (w *worker) answer(within time.Duration, sources ...Source) (a answer, err error) {
	late := time.AfterFunc(within, func() { _ = w.cmd.Process.Kill() })
	for _, s := range sources {
		err = w.send.Encode(s)
	}
	if err == nil {
		err = w.read.Decode(&a)
	}
	switch inTime := late.Stop(); {
	case err == nil:
		return a, nil
	case !inTime:
		return a, errKilled
	}
	return a, errEnded
}

// answer is the result for one source. The first answer of a process names its build instead.
type answer struct {
	Build string   `json:",omitempty"`
	Lines []string `json:",omitempty"`
	Err   string   `json:",omitempty"`
}

// Serve is the other end of a Subprocess: it renders the sources from in with e until in ends.
func Serve(in io.Reader, out io.Writer, e Engine) error { return serve(in, out, e, buildName()) }

func serve(in io.Reader, out io.Writer, e Engine, build string) error {
	read, send := json.NewDecoder(in), json.NewEncoder(out)
	if err := send.Encode(answer{Build: build}); err != nil {
		return err
	}
	for {
		var s Source
		if err := read.Decode(&s); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := send.Encode(answerTo(e, s)); err != nil {
			return err
		}
	}
}

// answerTo returns e's answer to a source. A panic of e is an answer too.
func answerTo(e Engine, s Source) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Err: fmt.Sprintf("cannot lay out: %v", r)}
		}
	}()
	lines, err := e.Render(s)
	if err != nil {
		return answer{Err: err.Error()}
	}
	return answer{Lines: lines}
}

// buildName describes the build of this program: the version, the toolchain and the commit, as far as they are known. Both ends must be of
// one build.
func buildName() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	name := info.Main.Version + " " + runtime.Version()
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
			name += " " + s.Value
		}
	}
	return name
}

// Program returns the path of the program that lays out Markdown.
func Program() (string, error) { return files.OwnProgram("vise-markdown") }
