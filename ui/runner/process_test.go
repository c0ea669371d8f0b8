package runner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/storetest"
)

var errEnough = errors.New("enough")

func sh(script string, args ...string) []string {
	return append([]string{"/bin/sh", "-c", script, "sh"}, args...)
}

func TestAProgramEndsAsItEnds(t *testing.T) {
	for _, c := range []struct {
		script string
		code   int
		signal string
	}{
		{"exit 0", 0, ""}, {"exit 3", 3, ""}, {"kill -9 $$", -1, "killed"},
	} {
		r, err := execute(context.Background(), processSpec{Argv: sh(c.script)})
		if err != nil || r.ExitCode != c.code || r.Signal != c.signal {
			t.Errorf("%s: %+v %v, want code %d signal %q", c.script, r, err, c.code, c.signal)
		}
	}
}

func TestAProgramGivesWayToOthers(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := execute(ctx, processSpec{Argv: sh("while [ $(nice) -lt 5 ]; do :; done")})
	if err != nil || r.ExitCode != 0 {
		t.Errorf("its niceness is below 5: %+v %v", r, err)
	}
}

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	for _, argv := range [][]string{nil, {""}, {"/no/such/program"}} {
		if _, err := execute(context.Background(), processSpec{Argv: argv}); err == nil {
			t.Errorf("%q ran", argv)
		}
	}
}

// A child in the background holds the pipe open. One that ignores the signal, or leaves its group, must not outlive the
// run either.
func TestNothingOutlivesARun(t *testing.T) {
	var left sync.Map
	t.Cleanup(func() { // a child that may be of another run ends with that one
		for name, pid := range left.Range {
			if isRunning(pid.(int)) {
				kill(pid.(int))
				t.Errorf("%s: process %d outlived its run", name, pid)
			}
		}
	})
	for name, script := range map[string]string{
		"a child in the background":     `sleep 1000 & echo $! >"$1"`,
		"a child that ignores the end":  `(trap "" TERM HUP; sleep 1000) & echo $! >"$1"; sleep 1000`,
		"a child in a session it made":  `setsid sh -c 'echo $$ >"$1"; exec sleep 1000' sh "$1" & sleep 0.3`,
		"a program that ignores it all": `trap "" TERM; echo $$ >"$1"; while :; do sleep 1000; done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(script, "setsid") {
				storetest.Needs(t, "setsid")
			}
			pids := filepath.Join(t.TempDir(), "pid")
			ctx, cancel := context.WithTimeoutCause(context.Background(), 700*time.Millisecond, errEnough)
			defer cancel()
			var out bytes.Buffer
			begun := time.Now()
			r, err := execute(ctx, processSpec{Argv: sh(script, pids), Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: &out})
			if took := time.Since(begun); took > grace+2*time.Second {
				t.Errorf("took %v", took)
			}
			if err != nil && !errors.Is(err, errEnough) || r.Survivors != 0 {
				t.Errorf("%+v %v", r, err)
			}
			raw, _ := os.ReadFile(pids)
			pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
			if err != nil {
				t.Fatalf("the script did not tell its child: %v", err)
			}
			left.Store(name, pid)
		})
	}
}

// A program is asked to end before it is killed, and so is what it started in a session of its own.
func TestAProgramIsAskedToEnd(t *testing.T) {
	env := []string{"PATH=" + os.Getenv("PATH")}
	for _, script := range []string{
		`trap 'echo "signal"; exit 7' TERM; while :; do sleep 0.02; done`,
		`setsid sh -c 'trap "echo signal; exit 7" TERM; while :; do sleep 0.02; done' & wait`,
	} {
		storetest.Needs(t, "setsid")
		ctx, cancel := context.WithTimeoutCause(context.Background(), 300*time.Millisecond, errEnough)
		var out bytes.Buffer
		r, err := execute(ctx, processSpec{Argv: sh(script), Env: env, Stdout: &out})
		cancel()
		if got := strings.TrimSpace(out.String()); got != "signal" || !errors.Is(err, errEnough) || r.Survivors != 0 {
			t.Errorf("%s: said %q, %+v %v", script, got, r, err)
		}
	}
}

func kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// A child that leaves the session at once is an orphan when its parent has ended. It is ended with the
// run, and reported. (While other programs run it could be theirs, so it lives as long as they do.)
func TestAnOrphanIsEndedAndTold(t *testing.T) {
	if !adopting() {
		t.Skip("orphans go to the system here")
	}
	storetest.Needs(t, "setsid")
	pids := filepath.Join(t.TempDir(), "pid")
	script := `setsid env -i sh -c 'echo $$ >"$1"; exec /bin/sleep 1000' sh "$1" & until [ -s "$1" ]; do :; done`
	r, err := execute(context.Background(), processSpec{Argv: sh(script, pids), Env: []string{"PATH=" + os.Getenv("PATH")}})
	raw, _ := os.ReadFile(pids)
	pid, convErr := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil || convErr != nil || r.Escaped != 1 || r.Survivors != 0 {
		t.Errorf("%+v %v %v", r, err, convErr)
	}
	if pid > 0 && isRunning(pid) {
		kill(pid)
		t.Errorf("process %d outlived its run", pid)
	}
}

func TestArgumentsAreNeverReadByAShell(t *testing.T) {
	for _, hostile := range []string{`"; echo PWNED; "`, "$(echo PWNED)", "`echo PWNED`", "-n\nPWNED", "| echo PWNED"} {
		var out bytes.Buffer
		r, err := execute(context.Background(), processSpec{Argv: []string{"printf", "%s", hostile}, Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: &out})
		if err != nil || !r.OK() || out.String() != hostile {
			t.Errorf("%q came out as %q (%+v %v)", hostile, out.String(), r, err)
		}
	}
}

func TestNothingOfTheEnvironmentLeaks(t *testing.T) {
	t.Setenv("SECRET_TOKEN", "hunter2")
	var out bytes.Buffer
	if _, err := execute(context.Background(), processSpec{Argv: []string{"env"}, Env: []string{"PATH=/usr/bin:/bin", "A=b"}, Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		name, _, _ := strings.Cut(line, "=")
		if name != "PATH" && name != "A" {
			t.Errorf("the program sees %q", line)
		}
	}
}

func TestAFloodIsSwallowed(t *testing.T) {
	const script = "head -c 100000000 /dev/zero | tr '\\0' 'x'"
	env := []string{"PATH=" + os.Getenv("PATH")}
	var file bytes.Buffer
	tail, capped := &files.Tail{Max: 1000}, &Capped{To: &file, Max: 5000}
	r, err := execute(context.Background(), processSpec{Argv: sh(script), Env: env, Stdout: io.MultiWriter(tail, capped)})
	if err != nil || !r.OK() || tail.Total() != 100_000_000 || len(tail.String()) != 1000 || file.Len() != 5000 {
		t.Errorf("%+v %v: %d in all, tail %d, file %d", r, err, tail.Total(), len(tail.String()), file.Len())
	}
}

func TestATailIsTheEndAndValidUTF8(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"abc", "abc"}, {"0123456789", "456789"}, {"xxxxxxxxxxxxé", "xxxxé"}, {"aaaaaéxxxxx", "xxxxx"}, {"\xff\xff\xff\xff\xff\xff", "\uFFFD"},
	} {
		tail := &files.Tail{Max: 6}
		for i := range len(c.in) {
			_, _ = tail.Write([]byte{c.in[i]})
		}
		if got := tail.String(); !strings.HasSuffix(got, strings.TrimLeft(c.want, "\uFFFD")) || len(got) > 6 {
			t.Errorf("the tail of %q is %q, want %q", c.in, got, c.want)
		}
	}
}

func TestAProcessIsToldFromALaterOne(t *testing.T) {
	if !Alive(Self()) {
		t.Error("this process counts as dead")
	}
	for name, change := range map[string]func(*model.Process){
		"another start":  func(p *model.Process) { p.Start = "1" },
		"another boot":   func(p *model.Process) { p.Boot = "x" },
		"another number": func(p *model.Process) { p.PID = 1 << 22 },
	} {
		p := Self()
		change(&p)
		if Alive(p) {
			t.Errorf("%s counts as this process", name)
		}
	}
	if p := (model.Process{PID: 1 << 22, Host: "elsewhere"}); !Alive(p) {
		t.Error("a process of another machine was judged from here")
	}
}
