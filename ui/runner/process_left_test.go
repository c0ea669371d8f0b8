//go:build linux

package runner

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// stubborn is a program whose processes get away in all ways. Each writes its number to a file.
const stubborn = `say='echo $$ >"$0.new"; mv "$0.new" "$0"; exec sleep 1000'
sh -c "$say" "$1/child" &
sh -c "trap '' TERM HUP; $say" "$1/deaf" &
setsid sh -c "$say" "$1/session" &
(setsid env -i /bin/sh -c "$say" "$1/orphan" &)
trap 'exit 0' TERM
echo $$ >"$1/program.new"; mv "$1/program.new" "$1/program"
until [ -e "$1/later" ]; do sleep 0.02; done
setsid sh -c "$say" "$1/late" &
wait`

// driven is a process that runs a program as a driver does.
type driven struct {
	t         *testing.T
	home, dir string
	driver    *exec.Cmd
}

func drivenBy(t *testing.T, program string) *driven {
	return drivenAs(t, "driver", t.TempDir(), program)
}

func drivenAs(t *testing.T, role, home, program string) *driven {
	t.Helper()
	storetest.Needs(t, "setsid")
	d := &driven{t: t, home: home, dir: t.TempDir(), driver: exec.Command(os.Args[0])}
	d.driver.Env = append(os.Environ(), script+"="+role, "SCRIPT="+program, "DIR="+d.dir, "VISE_HOME="+d.home)
	if err := d.driver.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = d.driver.Process.Kill()
		_, _, _ = EndLeft(d.home, "ann")
	})
	return d
}

// until waits until something holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

// pid waits for the number of a process.
func (d *driven) pid(name string) (pid int) {
	d.t.Helper()
	until(d.t, name, func() bool {
		raw, _ := os.ReadFile(filepath.Join(d.dir, name))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(raw)))
		return pid > 0
	})
	return pid
}

// record is what is recorded; zero if there is no record.
func (d *driven) record() (x record) {
	found, _ := filepath.Glob(recordOf(d.home, "ann", "*"))
	for _, path := range found {
		raw, _ := os.ReadFile(path)
		_ = json.Unmarshal(raw, &x)
	}
	return x
}

// names waits until the record names processes.
func (d *driven) names(pids ...int) {
	d.t.Helper()
	until(d.t, fmt.Sprint("the record names ", pids), func() bool {
		return !slices.ContainsFunc(pids, func(pid int) bool {
			return !slices.ContainsFunc(d.record().Processes, func(p model.Process) bool { return p == ProcessOf(pid) })
		})
	})
}

// ends waits until a killed process has ended.
func ends(t *testing.T, pid int) {
	t.Helper()
	until(t, fmt.Sprintf("process %d ends", pid), func() bool { return !isRunning(pid) })
}

// A driver that was killed leaves its program at work. Whoever comes next ends all of it, also what it has started since, and touches
// nothing else.
func TestWhatAKilledDriverLeftIsEnded(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	for _, alsoProgram := range []bool{false, true} {
		d := drivenBy(t, stubborn)
		program := d.pid("program")
		pids := []int{d.pid("child"), d.pid("deaf"), d.pid("session"), d.pid("orphan")}
		d.names(append(pids, program)...)
		if ended, named, err := EndLeft(d.home, "ann"); ended != nil || named != nil || err != nil || !isRunning(program) {
			t.Errorf("while the driver lives: %v %v %v", ended, named, err)
		}
		bystander := exec.Command("sleep", "1000")
		if err := bystander.Start(); err != nil {
			t.Fatal(err)
		}
		if alsoProgram {
			kill(d.driver.Process.Pid)
			kill(program)
			ends(t, program)
		} else {
			kill(d.driver.Process.Pid)
			_ = d.driver.Wait()
			if err := os.WriteFile(filepath.Join(d.dir, "later"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			pids = append(pids, program, d.pid("late"))
		}
		_ = d.driver.Wait()
		for _, pid := range pids {
			if !isRunning(pid) {
				t.Errorf("process %d ended before: nothing is proven of it", pid)
			}
		}
		ended, named, err := EndLeft(d.home, "ann")
		if len(ended) < len(pids) || named != nil || err != nil {
			t.Errorf("the program killed %v: ended %v of %v, named %v, %v", alsoProgram, ended, pids, named, err)
		}
		for _, pid := range pids {
			if isRunning(pid) {
				t.Errorf("the program killed %v: process %d still runs", alsoProgram, pid)
			}
		}
		if !isRunning(bystander.Process.Pid) || d.record().Program != 0 {
			t.Errorf("the bystander runs %v, the record is %+v", isRunning(bystander.Process.Pid), d.record())
		}
		_ = bystander.Process.Kill()
		_ = bystander.Wait()
	}
}

// The turn of a driver that was killed is over at once, however long its lease is. The next driver ends what it left before its own turn
// begins, and says so.
func TestTheNextDriverTakesOverFromAKilledOneAtOnce(t *testing.T) {
	storetest.Slow(t)
	b := newBench(t)
	b.do(model.Operator, model.CreateWorkItem{Objective: "One"})
	d := drivenAs(t, "drives", b.dir, stubborn)
	pids := []int{d.pid("program"), d.pid("child"), d.pid("deaf"), d.pid("session"), d.pid("orphan")}
	d.names(pids...)
	kill(d.driver.Process.Pid)
	_ = d.driver.Wait()
	next := b.driver(b.program("text"))
	var said []string
	next.Report = func(e Event) {
		if said = append(said, e.What); e.What == "turn started" && (e.Turn != 2 || slices.ContainsFunc(pids, isRunning)) {
			t.Errorf("turn %d began beside what the first driver left", e.Turn)
		}
	}
	if err := next.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(said) < 3 || !strings.HasPrefix(said[0], "ended what a driver that died left running") {
		t.Errorf("the driver said %q", said)
	}
	var news model.TurnNews
	if err := json.Unmarshal(b.entries(model.EventTurnEnded)[0].Data, &news); err != nil || news.Reason != "holder_died" {
		t.Errorf("the first turn ended as %+v %v", news, err)
	}
}

// When the program alone is killed, its driver ends the rest, and no record stays.
func TestWhatAKilledProgramLeftIsEndedByItsDriver(t *testing.T) {
	t.Parallel()
	d := drivenBy(t, stubborn)
	program, pids := d.pid("program"), []int{d.pid("child"), d.pid("deaf"), d.pid("session"), d.pid("orphan")}
	kill(program)
	if err := d.driver.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if isRunning(pid) {
			t.Errorf("process %d still runs", pid)
		}
	}
	if d.record().Program != 0 {
		t.Errorf("a record stays: %+v", d.record())
	}
}

// A process of which it is not proven that it is the recorded one is named and left alone, and so is this process itself. A later process
// with the same number is not even named.
func TestAProcessWithoutProofIsNamedAndNotTouched(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*record)
		named  int
	}{
		"without a start":   {func(x *record) { x.Processes[0].Start = "" }, 1},
		"without a boot":    {func(x *record) { x.Processes[0].Boot = "" }, 1},
		"another start":     {func(x *record) { x.Processes[0].Start = "1" }, 0},
		"another boot":      {func(x *record) { x.Driver.Boot = "x" }, 0},
		"another machine":   {func(x *record) { x.Driver.Host = "elsewhere" }, 0},
		"a driver lives":    {func(x *record) { x.Driver = Self() }, 0},
		"this very process": {func(x *record) { x.Processes[0] = Self() }, 1},
	} {
		sleeper := exec.Command("sleep", "1000")
		if err := sleeper.Start(); err != nil {
			t.Fatal(err)
		}
		x := record{Driver: Self(), Program: sleeper.Process.Pid, Processes: []model.Process{ProcessOf(sleeper.Process.Pid)}}
		x.Driver.PID, x.Driver.Start = 1<<22, "1"
		c.change(&x)
		dir := t.TempDir()
		raw, _ := json.Marshal(x)
		path := recordOf(dir, "ann", "run")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		ended, named, err := EndLeft(dir, "ann")
		if ended != nil || len(named) != c.named || err != nil || !isRunning(sleeper.Process.Pid) {
			t.Errorf("%s: ended %v, named %v, %v; it runs: %v", name, ended, named, err, isRunning(sleeper.Process.Pid))
		}
		_ = sleeper.Process.Kill()
		_ = sleeper.Wait()
	}
}

// The record is private, and gone after the run.
func TestTheRecordIsPrivate(t *testing.T) {
	t.Parallel()
	d := drivenBy(t, `echo $$ >"$1/program"; until [ -e "$1/later" ]; do sleep 0.02; done`)
	d.names(d.pid("program"))
	found, _ := filepath.Glob(recordOf(d.home, "ann", "*"))
	if info, err := os.Stat(found[0]); err != nil || info.Mode().Perm() != 0o600 || len(found) != 1 {
		t.Errorf("%v: %v %v", found, info, err)
	}
	if err := os.WriteFile(filepath.Join(d.dir, "later"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.driver.Wait(); err != nil || d.record().Program != 0 {
		t.Errorf("%v, %+v", err, d.record())
	}
}
