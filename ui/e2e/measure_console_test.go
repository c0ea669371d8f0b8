package e2e

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/store/files"
)

// consoles measures the console from outside, on the smallest and the largest home.
func (b *bench) consoles() {
	all := b.shapes(false)
	for _, s := range []shape{all[0], all[len(all)-1]} {
		h := b.untouched(s)
		b.firstFrames(h)
		b.keys(h, "key to frame", "")
		b.idle(h)
		b.createdElsewhere(h)
		b.woken(h)
	}
	b.keys(b.home(shape{10_000, fleetAgents}), fmt.Sprintf("fleet of %d agents, key to frame", fleetAgents), "2")
	for _, size := range []int{10 << 10, 100 << 10, 1 << 20} {
		b.planSaved(b.home(all[0]), size, "plan saved to preview", 1100*time.Millisecond) // as fast as people save
		b.planSaved(b.home(all[0]), size, "plan saved again within 0.6 s", 150*time.Millisecond)
	}
}

func (h *measuredHome) env(agent model.AgentID) []string {
	return []string{"VISE_HOME=" + h.dir, "VISE_AGENT=" + string(agent), "VISE_ACTOR=operator", "XDG_CONFIG_HOME=" + filepath.Join(h.dir, "no-config")}
}

// console opens a console and waits for a text on it.
func (b *bench) console(h *measuredHome, agent model.AgentID, want string) *measuredTerminal {
	b.Helper()
	x := b.terminal(h.env(agent), b.vise)
	if _, ok := x.shows(want, 20*time.Second); !ok {
		shown, _ := x.state()
		b.Fatalf("no %q on the console:\n%s", want, shown)
	}
	x.changes(time.Now(), 300*time.Millisecond, 100*time.Millisecond)
	return x
}

// aWord is on the console as soon as it shows the ledger.
const aWord = "gateway"

func (b *bench) firstFrames(h *measuredHome) {
	var took []float64
	for n := range 11 {
		x := b.terminal(h.env(agentName(0)), b.vise)
		if _, ok := x.shows(aWord, 20*time.Second); !ok {
			b.Fatal("no first frame")
		}
		last, _ := x.changes(x.began, time.Second, 60*time.Millisecond)
		if n > 0 {
			took = append(took, ms(last.Sub(x.began)))
		}
		x.end()
	}
	b.report.add(figure{Row: "first full frame", Program: "vise", Size: h.String(), Unit: "ms", P50: at(took, 50), P99: at(took, 99), N: len(took)})
}

// keys times the cursor's way down and up in the view that a key opens.
func (b *bench) keys(h *measuredHome, row, view string) {
	x := b.console(h, agentName(0), aWord)
	defer x.end()
	if view != "" {
		_, err := x.file.WriteString(view)
		b.must(err)
		x.changes(time.Now(), time.Second, 300*time.Millisecond)
	}
	cpu := cpuOf(x.cmd.Process.Pid)
	var took []float64
	missed := 0
	for n := range 200 {
		key := "j"
		if n%20 >= 10 {
			key = "k"
		}
		<-time.After(time.Duration(rand.IntN(20)) * time.Millisecond) // a random pause: not in step with the frames
		pressed := time.Now()
		_, err := x.file.WriteString(key)
		b.must(err)
		if last, ok := x.changes(pressed, 500*time.Millisecond, 25*time.Millisecond); ok {
			took = append(took, ms(last.Sub(pressed)))
		} else {
			missed++
		}
	}
	used := ms(cpuOf(x.cmd.Process.Pid) - cpu)
	b.report.add(figure{Row: row, Program: "vise", Size: h.String(), Unit: "ms", P50: at(took, 50), P99: at(took, 99),
		CPU: used / float64(max(len(took), 1)), Failed: missed, N: len(took)})
	for range 120 {
		_, err := x.file.WriteString("j")
		b.must(err)
		<-time.After(time.Second / 60)
	}
	last := time.Now()
	if at, ok := x.changes(last, 200*time.Millisecond, 60*time.Millisecond); ok {
		b.report.add(figure{Row: "caught up after 60 keys a second", Program: "vise", Size: h.String(), Unit: "ms", P50: ms(at.Sub(last)), N: 1})
	}
}

const idleFor = 5 * time.Second

func (b *bench) idle(h *measuredHome) {
	x := b.console(h, agentName(0), aWord)
	defer x.end()
	<-time.After(time.Second)
	x.mu.Lock()
	bytes := x.bytes
	x.mu.Unlock()
	cpu := cpuOf(x.cmd.Process.Pid)
	<-time.After(idleFor)
	used := cpuOf(x.cmd.Process.Pid) - cpu
	x.mu.Lock()
	bytes = x.bytes - bytes
	x.mu.Unlock()
	b.report.add(figure{Row: "resident, idle", Program: "vise", Size: h.String(), Unit: "MiB", P50: rssOf(x.cmd.Process.Pid), N: 1})
	b.report.add(figure{Row: "processor, idle", Program: "vise", Size: h.String(), Unit: "%", P50: 100 * used.Seconds() / idleFor.Seconds(), N: 1})
	b.report.add(figure{Row: "output, idle", Program: "vise", Size: h.String(), Unit: "B/s", P50: float64(bytes) / idleFor.Seconds(), N: 1})
}

func cpuOf(pid int) (d time.Duration) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, t := range tasks {
		var ns int64
		raw, _ := os.ReadFile(t)
		_, _ = fmt.Sscan(string(raw), &ns)
		d += time.Duration(ns)
	}
	return d
}

// rssOf returns the resident memory of a process and of those that it started.
func rssOf(pid int) (mib float64) {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for _, line := range strings.Split(string(raw), "\n") {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kib); n == 1 {
			mib = kib / 1024
		}
	}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, t := range tasks {
		raw, _ := os.ReadFile(t)
		for _, child := range strings.Fields(string(raw)) {
			if n, err := strconv.Atoi(child); err == nil {
				mib += rssOf(n)
			}
		}
	}
	return mib
}

// betweenChanges is the pause of other writers between two changes. Readers then see more than four changes a second.
const betweenChanges = 300 * time.Millisecond

// createdElsewhere measures the time from the start of a process that creates an item to its row on another console.
// The agent has few items, so that the row is visible.
func (b *bench) createdElsewhere(h *measuredHome) {
	agent := model.AgentID(fmt.Sprintf("seen-%d", time.Now().UnixNano()))
	b.run(h, agent, "new", "Seen at the start")
	x := b.console(h, agent, "Seen at the start")
	defer x.end()
	var took []float64
	for n := range 15 {
		mark := fmt.Sprintf("Mark%03d", n)
		began := time.Now()
		b.run(h, agent, "new", mark)
		if seen, ok := x.shows(mark, 3*time.Second); ok {
			took = append(took, ms(seen.Sub(began)))
		}
		<-time.After(betweenChanges)
		item := b.run(h, agent, "list", "--json", "--limit", "1")
		_ = item
	}
	b.report.add(figure{Row: "created elsewhere to row", Program: "vise", Size: h.String(), Unit: "ms", P50: at(took, 50), P99: at(took, 99), Failed: 15 - len(took), N: len(took)})
}

func (b *bench) run(h *measuredHome, agent model.AgentID, args ...string) string {
	b.Helper()
	c := exec.Command(b.vise, args...)
	c.Env = append(os.Environ(), h.env(agent)...)
	out, err := c.CombinedOutput()
	if err != nil {
		b.Fatalf("vise %q: %v: %s", args, err, out)
	}
	return string(out)
}

// woken measures the time from the start of vise trigger to the line of a process that waits for events.
func (b *bench) woken(h *measuredHome) {
	agent := model.AgentID(fmt.Sprintf("woken-%d", time.Now().UnixNano()))
	b.run(h, agent, "new", "To be woken")
	c := exec.Command(b.vise, "events", "--follow", "--json")
	c.Env = append(os.Environ(), h.env(agent)...)
	out, err := c.StdoutPipe()
	b.must(err)
	b.must(c.Start())
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	woken := make(chan time.Time, 64)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.Contains(lines.Text(), "triggered") {
				woken <- time.Now()
			}
		}
	}()
	l := b.open(h)
	in, err := l.Apply(context.Background(), model.Envelope{Key: "wake-" + string(agent), Actor: model.Operator, Agent: agent,
		Command: model.CreateWorkItem{Objective: "It waits for CI"}})
	b.must(err)
	var took []float64
	for n := range 15 {
		resource := model.Text(fmt.Sprintf("run/%s/%d", agent, n))
		_, err := l.Apply(context.Background(), model.Envelope{Key: fmt.Sprintf("wait-%s-%d", agent, n), Actor: model.Operator, Agent: agent,
			Command: model.WaitFor{WorkItemID: in.WorkItemID, Wake: model.WakeExternal, Reason: "CI", Source: "ci", Resource: resource}})
		b.must(err)
		<-time.After(2 * betweenChanges)
		began := time.Now()
		b.run(h, agent, "trigger", "--source", "ci", "--resource", string(resource))
		select {
		case at := <-woken:
			took = append(took, ms(at.Sub(began)))
		case <-time.After(3 * time.Second):
		}
	}
	b.report.add(figure{Row: "trigger to a waiting process", Program: "vise", Size: h.String(), Unit: "ms", P50: at(took, 50), P99: at(took, 99), Failed: 15 - len(took), N: len(took)})
}

// saves is how often each plan is saved.
const saves = 12

// planSaved measures the time from a plan's replacement to its new first line on the console. The pause between two
// saves is up to 0.4 s longer than the settling time.
func (b *bench) planSaved(h *measuredHome, size int, row string, pause time.Duration) {
	agent := model.AgentID(fmt.Sprintf("plan-%d", time.Now().UnixNano()))
	l := b.open(h)
	in, err := l.Apply(context.Background(), model.Envelope{Key: string(agent), Actor: model.Operator, Agent: agent,
		Command: model.CreateWorkItem{Objective: "Its plan is edited", Plan: "# Plan\n"}})
	b.must(err)
	at0, err := files.NewHome(h.dir)
	b.must(err)
	path := at0.PlanPath(agent, in.WorkItemID)
	section := "## A step\n\nWhat is *done* here, with `code` and a [link](https://example.org).\n\n- one thing\n- another\n\n"
	body := strings.Repeat(section, size/len(section))
	b.must(files.WriteAtomic(path, []byte("# Plan Mark-start\n\n"+body)))
	x := b.console(h, agent, "Mark-start")
	defer x.end()
	<-time.After(300 * time.Millisecond)
	var took []float64
	for n := range saves {
		mark := fmt.Sprintf("Mark%03d", n)
		text := []byte("# Plan " + mark + "\n\n" + body)
		temp := path + ".new"
		b.must(os.WriteFile(temp, text, 0o600))
		saved := time.Now()
		b.must(os.Rename(temp, path))
		if seen, ok := x.shows(mark, 3*time.Second); ok {
			took = append(took, ms(seen.Sub(saved)))
		}
		<-time.After(pause + time.Duration(rand.IntN(400))*time.Millisecond)
	}
	name := map[int]string{10 << 10: "10 KB", 100 << 10: "100 KB", 1 << 20: "1 MB"}[size]
	b.report.add(figure{Row: row + ", " + name, Program: "vise", Size: h.String(), Unit: "ms", P50: at(took, 50), P99: at(took, 99), Failed: saves - len(took), N: len(took)})
}
