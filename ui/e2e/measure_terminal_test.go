package e2e

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is a program behind a pseudo-terminal. All output gets a time when it is read, before it is drawn.
type measuredTerminal struct {
	cmd   *exec.Cmd
	file  *os.File
	began time.Time

	mu     sync.Mutex // protects the fields below
	screen *vt.Emulator
	shown  string
	// changed is the time of the screen's last change; bytes counts all output.
	changed time.Time
	bytes   int
	moved   chan struct{}
}

const termW, termH = 120, 40

func (b *bench) terminal(env []string, argv ...string) *measuredTerminal {
	b.Helper()
	c := exec.Command(argv[0], argv[1:]...)
	c.Env = append(append(os.Environ(), env...), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8")
	x := &measuredTerminal{cmd: c, screen: vt.NewEmulator(termW, termH), moved: make(chan struct{}, 1), began: time.Now()}
	var err error
	x.file, err = pty.StartWithSize(c, &pty.Winsize{Cols: termW, Rows: termH})
	b.must(err)
	go x.read()
	go func() { _, _ = io.Copy(x.file, x.screen) }() // the answers to the program's queries of its terminal
	b.Cleanup(x.end)
	return x
}

func (x *measuredTerminal) read() {
	chunk := make([]byte, 64<<10)
	for {
		n, err := x.file.Read(chunk)
		read := time.Now()
		x.mu.Lock()
		x.bytes += n
		_, _ = x.screen.Write(chunk[:n])
		if now := x.screen.Render(); now != x.shown {
			x.shown, x.changed = now, read
		}
		x.mu.Unlock()
		select {
		case x.moved <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (x *measuredTerminal) end() {
	if x.cmd.ProcessState == nil {
		_ = x.cmd.Process.Kill()
		_ = x.cmd.Wait()
	}
	x.file.Close()
}

// state returns the screen's text and the time of its last change.
func (x *measuredTerminal) state() (text string, changed time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.shown, x.changed
}

// shows waits until the screen shows a text, and returns the time.
func (x *measuredTerminal) shows(text string, within time.Duration) (time.Time, bool) {
	end := time.NewTimer(within)
	defer end.Stop()
	for {
		if shown, changed := x.state(); strings.Contains(shown, text) {
			return changed, true
		}
		select {
		case <-x.moved:
		case <-end.C:
			return time.Time{}, false
		}
	}
}

// changes waits for the first change of the screen after an instant, then until it has been quiet for settle, and
// returns the time of the last change.
func (x *measuredTerminal) changes(after time.Time, within, settle time.Duration) (time.Time, bool) {
	end := time.NewTimer(within)
	defer end.Stop()
	for {
		_, changed := x.state()
		if changed.After(after) {
			break
		}
		select {
		case <-x.moved:
		case <-end.C:
			return time.Time{}, false
		}
	}
	for {
		quiet := time.NewTimer(settle)
		select {
		case <-x.moved:
			quiet.Stop()
		case <-quiet.C:
			_, changed := x.state()
			return changed, true
		}
	}
}
