package e2e

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is a program behind a pseudo-terminal: its screen and all its output.
type terminal struct {
	t    testing.TB
	cmd  *exec.Cmd
	file *os.File
	w, h int

	moved chan struct{}
	ended chan struct{}
	// silent: the terminal does not answer queries any more.
	silent chan struct{}

	mu     sync.Mutex // protects the fields below
	screen *vt.Emulator
	sent   bytes.Buffer
}

// onTerminal starts a command on a terminal of that size; the test's end kills it.
func onTerminal(t testing.TB, cmd *exec.Cmd, w, h int) *terminal {
	t.Helper()
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "COLORTERM=truecolor")
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)})
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	x := &terminal{t: t, cmd: cmd, file: file, w: w, h: h, screen: vt.NewEmulator(w, h), moved: make(chan struct{}, 1), ended: make(chan struct{}), silent: make(chan struct{})}
	go x.read()
	// The program's queries of its terminal are answered as a real one does.
	go func() {
		defer close(x.silent)
		_, _ = io.Copy(file, x.screen)
	}()
	t.Cleanup(x.end)
	return x
}

func (x *terminal) read() {
	defer close(x.ended)
	chunk := make([]byte, 64<<10)
	for {
		n, err := x.file.Read(chunk)
		x.mu.Lock()
		x.sent.Write(chunk[:n])
		_, _ = x.screen.Write(chunk[:n])
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

func (x *terminal) end() {
	_ = x.cmd.Process.Kill()
	_ = x.cmd.Wait()
	x.file.Close()
	<-x.ended
	// Closing the screen here would race with its readers.
	_ = x.screen.InputPipe().(io.Closer).Close()
	<-x.silent
}

// keys types, and waits until the program has nothing more to draw.
func (x *terminal) keys(keys string) {
	if _, err := x.file.WriteString(keys); err != nil {
		x.t.Fatalf("the program does not read any more: %v\n%s", err, x.text())
	}
	x.settle(30 * time.Millisecond)
}

// escape leaves a dialog, and waits: keys right after an escape would be read as a part of its sequence.
func (x *terminal) escape() {
	x.keys("\x1b")
	x.settle(150 * time.Millisecond)
}

// quit ends the program with a key and waits for its last output: a busy machine takes long.
func (x *terminal) quit() {
	for n := range 3 {
		x.keys("q")
		select {
		case <-x.ended:
			return
		case <-time.After(time.Duration(2+14*(n/2)) * time.Second):
			x.escape()
		}
	}
	x.t.Errorf("the program did not end:\n%s", x.text())
}

// settle waits until nothing was drawn for a while, at most two seconds.
func (x *terminal) settle(quiet time.Duration) {
	limit := time.After(2 * time.Second)
	for {
		select {
		case <-x.moved:
		case <-time.After(quiet):
			return
		case <-x.ended:
			return
		case <-limit:
			return
		}
	}
}

// until waits for a frame for which ok returns true.
func (x *terminal) until(what string, ok func(string) bool) {
	x.t.Helper()
	limit := time.After(20 * time.Second)
	for !ok(x.text()) {
		select {
		case <-x.moved:
		case <-time.After(50 * time.Millisecond):
		case <-limit:
			x.t.Fatalf("%s did not come:\n%s", what, x.text())
		}
	}
}

// text returns the screen, row by row.
func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.String()
}

// output returns everything that was sent so far.
func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sent.String()
}

// showing waits for words on the screen.
func (x *terminal) showing(words string) {
	x.t.Helper()
	x.until(words, func(s string) bool { return strings.Contains(s, words) })
}

// The terminal keeps its own title while the console runs, and has it again afterwards, also after a signal.
func TestTheTerminalsTitleComesBack(t *testing.T) {
	for how, end := range map[string]func(*terminal){
		"q":    (*terminal).quit,
		"TERM": func(x *terminal) { _ = x.cmd.Process.Signal(syscall.SIGTERM); <-x.ended },
	} {
		t.Run(how, func(t *testing.T) {
			x := onTerminal(t, newHome(t, "ann").command(t.Context()), 80, 24)
			x.showing("ann")
			end(x)
			sent := x.output()
			kept, first := strings.Index(sent, "\x1b[22;2t"), strings.Index(sent, "\x1b]2;")
			back, last := strings.LastIndex(sent, "\x1b[23;2t"), strings.LastIndex(sent, "\x1b]2;")
			if kept < 0 || first < kept || last < first || back < last {
				t.Errorf("the title is kept at %d, set from %d to %d, and restored at %d", kept, first, last, back)
			}
		})
	}
}
