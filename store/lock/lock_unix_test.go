//go:build unix

package lock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vise/store/lock"
	"vise/store/storetest"
)

var ctx = context.Background()

func TestMain(m *testing.M) {
	storetest.Main(m, map[string]func([]string){"compete": compete, "hold": hold})
}

// compete takes and gives the lock until a time has passed, and prints how often. What it
// does inside is a small durable write, as a ledger's commit is.
func compete(args []string) {
	d, _ := time.ParseDuration(args[1])
	l := lock.New(args[0], "")
	file, err := os.CreateTemp(filepath.Dir(args[0]), "work-*")
	must(err)
	fmt.Println("ready")
	storetest.Hear()
	n := 0
	for end := time.Now().Add(d); time.Now().Before(end); n++ {
		must(l.Acquire(ctx))
		_, err := file.WriteAt(make([]byte, 4096), 0)
		must(err)
		must(file.Sync())
		l.Release()
	}
	fmt.Println(n)
}

// hold takes the lock, says so, and keeps it until it is spoken to. It has a process group
// of its own, as a shell gives to each command: others may not be stoppable.
func hold(args []string) {
	must(syscall.Setpgid(0, 0))
	l := lock.New(args[0], "vise mcp")
	must(l.Acquire(ctx))
	fmt.Println("held")
	storetest.Hear()
	l.Release()
	fmt.Println("released")
	storetest.Hear()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A machine that is busy with something else can disturb one run, not three.
func TestLockIsFairAmongProcesses(t *testing.T) {
	jain := 0.0
	for run := 0; run < 3 && jain < 0.9; run++ {
		jain = jainOfProcesses(t, 8)
	}
	if jain < 0.9 {
		t.Errorf("Jain's index %.3f is below 0.9", jain)
	}
}

// jainOfProcesses lets processes compete for the lock and says how even their turns were.
func jainOfProcesses(t *testing.T, processes int) float64 {
	path := filepath.Join(t.TempDir(), "lock")
	var children []*storetest.Child
	for range processes {
		children = append(children, storetest.Start(t, "compete", path, "1.5s"))
	}
	for _, c := range children {
		c.Expect("ready")
	}
	for _, c := range children {
		c.Say("go")
	}
	var sum, squares float64
	var turns []string
	for _, c := range children {
		line := c.Line()
		turns = append(turns, line)
		n, err := strconv.ParseFloat(line, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
		squares += n * n
	}
	jain := sum * sum / (float64(processes) * squares)
	t.Logf("Jain %.3f, turns %s", jain, strings.Join(turns, " "))
	return jain
}

func TestLockOfAKilledHolderIsFree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	c := storetest.Start(t, "hold", path)
	c.Expect("held")
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	l := lock.New(path, "")
	defer l.Close()
	if err := l.Acquire(ctx); err != nil {
		t.Fatal(err)
	}
	l.Release()
}

func TestBusyNamesTheHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	c := storetest.Start(t, "hold", path)
	c.Expect("held")
	l := lock.New(path, "")
	l.Limit = 50 * time.Millisecond
	busy := acquireBusy(t, l)
	if h := busy.Holder; h.PID != c.Process.Pid || h.Command != "vise mcp" || h.Stopped || time.Since(h.Since) > time.Minute {
		t.Errorf("holder %+v", h)
	}
	stop(t, c, syscall.SIGSTOP)
	busy = acquireBusy(t, l)
	if !busy.Holder.Stopped && readable("/proc/self/stat") {
		t.Errorf("a stopped holder looks alive: %v", busy)
	}
	t.Log(busy)
	// The wait that was given up has one goroutine, which the next one takes over.
	c.Process.Signal(syscall.SIGCONT)
	c.Say("release")
	c.Expect("released")
	l.Limit = lock.DefaultLimit
	if err := l.Acquire(ctx); err != nil {
		t.Fatal(err)
	}
	l.Release()
}

func acquireBusy(t *testing.T, l *lock.File) *lock.Busy {
	t.Helper()
	err := l.Acquire(ctx)
	var busy *lock.Busy
	if !errors.As(err, &busy) {
		t.Fatalf("got %v", err)
	}
	return busy
}

// stop sends a signal and waits until the child is stopped by it.
func stop(t *testing.T, c *storetest.Child, sig syscall.Signal) {
	t.Helper()
	if err := c.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	awaitStop(t, c)
}

func awaitStop(t *testing.T, c *storetest.Child) {
	t.Helper()
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(c.Process.Pid, &status, syscall.WUNTRACED, nil)
		if err == nil && status.Stopped() {
			return
		}
		if err != nil && err != syscall.EINTR || err == nil {
			t.Fatalf("the child did not stop: %v, %v", status, err)
		}
	}
}

func readable(path string) bool {
	_, err := os.ReadFile(path)
	return err == nil
}

func TestCtrlZStopsAHolderOnlyAfterItReleased(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	c := storetest.Start(t, "hold", path)
	c.Expect("held")
	if err := c.Process.Signal(syscall.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	c.Say("release") // a stopped child would not hear this
	awaitStop(t, c)
	l := lock.New(path, "")
	defer l.Close()
	if err := l.Acquire(ctx); err != nil {
		t.Fatal(err)
	}
	l.Release()
	c.Process.Signal(syscall.SIGCONT)
	c.Expect("released")
}

func TestAWaitThatIsGivenUpKeepsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	a, b := lock.New(path, "a"), lock.New(path, "b") // two descriptors, as two processes have
	if err := a.Acquire(ctx); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for range 3 {
		if err := b.Acquire(ended); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	a.Release()
	for _, l := range []*lock.File{a, b, a} {
		if err := l.Acquire(ctx); err != nil {
			t.Fatal(err)
		}
		l.Release()
	}
}

func TestGoroutinesOfOneProcessTakeTurns(t *testing.T) {
	l := lock.New(filepath.Join(t.TempDir(), "lock"), "")
	defer l.Close()
	inside, turns := 0, 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if err := l.Acquire(ctx); err != nil {
					t.Error(err)
					return
				}
				if inside++; inside != 1 {
					t.Error("two are inside")
				}
				turns++
				inside--
				l.Release()
			}
		})
	}
	wg.Wait()
	if turns != 1600 {
		t.Errorf("%d turns", turns)
	}
}

func TestALockFileThatIsGoneIsMadeAnewAndNoticed(t *testing.T) {
	for _, c := range []struct {
		name string
		lose func(path string) error
	}{
		{"deleted", os.Remove},
		{"replaced", func(path string) error {
			if err := os.WriteFile(path+".other", nil, 0o600); err != nil {
				return err
			}
			return os.Rename(path+".other", path)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "lock")
			l, other := lock.New(path, ""), lock.New(path, "")
			defer l.Close()
			defer other.Close()
			if err := l.Acquire(ctx); err != nil {
				t.Fatal(err)
			}
			if !l.Mine() {
				t.Error("not mine at first")
			}
			if err := c.lose(path); err != nil {
				t.Fatal(err)
			}
			if l.Mine() {
				t.Error("still mine")
			}
			l.Release()
			for _, x := range []*lock.File{l, other, l} {
				if err := x.Acquire(ctx); err != nil || !x.Mine() {
					t.Fatalf("mine %v, %v", x.Mine(), err)
				}
				x.Release()
			}
		})
	}
}

func TestALockIsNoLink(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), path); err != nil {
		t.Fatal(err)
	}
	if err := lock.New(path, "").Acquire(ctx); err == nil {
		t.Error("a link was followed")
	}
}

func BenchmarkAcquireRelease(b *testing.B) {
	l := lock.New(filepath.Join(b.TempDir(), "lock"), "")
	defer l.Close()
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Acquire(ctx); err != nil {
			b.Fatal(err)
		}
		l.Release()
	}
}
