package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"vise/model"
)

func modelItem(id string) model.ItemID { return model.ItemID(id) }

// terminal is a pseudo-terminal with a program, and what its screen shows.
type terminal struct {
	cmd   *exec.Cmd
	file  *os.File
	exit  chan error
	wrote chan time.Time

	mu     sync.Mutex // protects the fields below
	screen *vt.Emulator
	bytes  int
	last   []byte
}

// keptTail is the size of the newest output that is kept, in bytes.
const keptTail = 16 << 10

func startTerminal(t *testing.T, cmd *exec.Cmd, w, h int) *terminal {
	t.Helper()
	x := &terminal{cmd: cmd, exit: make(chan error, 1), wrote: make(chan time.Time, 1)}
	x.screen = x.emulator(w, h)
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)})
	if err != nil {
		t.Fatal(err)
	}
	x.file = file
	t.Cleanup(func() { _ = cmd.Process.Kill(); file.Close() })
	go x.read()
	go func() { x.exit <- cmd.Wait() }()
	return x
}

// emulator is a screen that answers the program's queries.
func (x *terminal) emulator(w, h int) *vt.Emulator {
	e := vt.NewEmulator(w, h)
	go func() {
		buf := make([]byte, 1024)
		for {
			n, err := e.Read(buf)
			if err != nil {
				return
			}
			if x.file != nil {
				_, _ = x.file.Write(buf[:n])
			}
		}
	}()
	return e
}

func (x *terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := x.file.Read(buf)
		if err != nil {
			return
		}
		at := time.Now()
		x.mu.Lock()
		x.bytes += n
		x.last = append(x.last, buf[:n]...)
		x.last = x.last[max(len(x.last)-keptTail, 0):]
		for rest := buf[:n]; len(rest) > 0; {
			rest = rest[x.show(rest):]
		}
		x.mu.Unlock()
		select {
		case x.wrote <- at:
		default:
		}
	}
}

// show writes to the screen and returns the number of bytes that it took. A program can draw for a size that the
// terminal no longer has, outside of the screen. The emulator would crash, so that sequence is left out; the program
// draws everything again anyway. The caller holds mu.
func (x *terminal) show(b []byte) (n int) {
	defer func() { _ = recover() }()
	for n < len(b) {
		n++
		_, _ = x.screen.Write(b[n-1 : n])
	}
	return n
}

// drain forgets that the screen was written to.
func (x *terminal) drain() {
	select {
	case <-x.wrote:
	default:
	}
}

func (x *terminal) send(keys string) { _, _ = io.WriteString(x.file, keys) }

// resize changes the size; the program then draws the screen again. A terminal of a few cells gets a screen of its own
// here, which is not read.
func (x *terminal) resize(w, h int) {
	x.mu.Lock()
	old := x.screen
	x.screen = x.emulator(max(w, 20), max(h, 5))
	x.mu.Unlock()
	_ = old.InputPipe().(io.Closer).Close()
	_ = pty.Setsize(x.file, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)})
}

// text returns the screen without its colours.
func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.String()
}

func (x *terminal) total() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bytes
}

func (x *terminal) tail() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return string(x.last)
}

// ended waits for the program's end, for a limited time.
func (x *terminal) ended() error {
	timer := time.NewTimer(20 * time.Second)
	defer timer.Stop()
	select {
	case err := <-x.exit:
		return err
	case <-timer.C:
		return fmt.Errorf("no end within 20 s")
	}
}

// rss returns the program's memory in MiB.
func (x *terminal) rss() float64 {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", x.cmd.Process.Pid))
	for line := range strings.Lines(string(raw)) {
		if kb := 0; strings.HasPrefix(line, "VmRSS:") {
			_, _ = fmt.Sscanf(line, "VmRSS: %d kB", &kb)
			return float64(kb) / 1024
		}
	}
	return 0
}

// cpu returns the processor time of the program's threads.
func (x *terminal) cpu() (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", x.cmd.Process.Pid))
	for _, name := range threads {
		raw, _ := os.ReadFile(name)
		var ran int64
		_, _ = fmt.Sscan(string(raw), &ran)
		sum += time.Duration(ran)
	}
	return sum
}
