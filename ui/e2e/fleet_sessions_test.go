package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/etcd"
	"vise/store/storetest"
)

// marker is a message of the test: no two are alike.
var marker = regexp.MustCompile(`\[[a-z]+-\d+\]`)

// hears is an agent's program that speaks the Agent Client Protocol. It notes each message that it is given in a file, and repeats it.
func hears(args []string) {
	heard, err := os.OpenFile(args[0], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	update := func(n int, words string) {
		fmt.Printf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":`+
			`{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":%q}}}}`+"\n", n, words)
	}
	n := 0
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Prompt []struct{ Text string } }
		}
		if err := json.Unmarshal(line, &m); err != nil {
			panic(err)
		}
		result := `{}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"hears","version":"1"}}`
		case "session/new":
			result = `{"sessionId":"s1"}`
		case "session/prompt":
			n++
			said := marker.FindAllString(m.Params.Prompt[0].Text, -1)
			for _, words := range said {
				update(n, "I heard "+words+". ")
				<-time.After(50 * time.Millisecond) // its session lives for a while
			}
			if len(said) > 0 {
				fmt.Fprintln(heard, strings.Join(said, "\n"))
			}
			result = `{"stopReason":"end_turn"}`
		case "session/cancel":
			continue
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}

// liveFleet is two machines on one cluster. Each drives two agents, has a console, and a person who writes to all agents.
type liveFleet struct {
	t        *testing.T
	cluster  *storetest.Etcd
	machines []*fleetHome
	agents   []string
	heard    string // the directory with the files of what agents were given

	mu       sync.Mutex // protects all below
	stopped  bool
	accepted []time.Time // when a message was
	busy     int
}

// The leader of a cluster is killed, cut off or stopped, again and again, while agents' sessions go on and people on two machines write to
// them. Each message is given to its agent once, what the agents said is in the history once, and both consoles show what came last.
func TestLiveSessionsOutliveALeaderThatFails(t *testing.T) {
	f := &liveFleet{t: t, cluster: storetest.StartEtcd(t, 3), agents: []string{"ann", "bob", "cat", "dan"}, heard: t.TempDir()}
	bin, at := fleetPrograms(t), address(f.cluster, "team")
	config := t.TempDir()
	for i := range 2 {
		m := newFleetHome(t, bin)
		m.must(slices.Concat([]string{"fleet", "join", at, "--insecure"}, [][]string{{"--new"}, nil}[i])...)
		f.machines = append(f.machines, m)
	}
	for i, name := range f.agents {
		f.machines[0].must("new", "Answer whoever writes to "+name, "--agent", name)
		f.configure(filepath.Join(config, fmt.Sprint(i%2)), name)
	}
	var consoles []*terminal
	for i, m := range f.machines {
		m.config = filepath.Join(config, fmt.Sprint(i))
		drive := m.command("drive")
		must(t, drive.Start())
		t.Cleanup(func() { _ = drive.Process.Signal(syscall.SIGTERM); _ = drive.Wait() })
		consoles = append(consoles, onTerminal(t, m.command("--agent", f.agents[i]), 120, 36))
	}
	var writers sync.WaitGroup
	sent := make([][]string, len(f.machines))
	for i, m := range f.machines {
		writers.Go(func() { sent[i] = f.write(m, string(rune('a'+i))) })
	}
	for _, x := range consoles {
		x.showing("Session")
		x.keys("g")
		x.keys("s")
		x.showing("I heard")
	}
	f.fail(storetest.Amount(1, 20), "killed", func(i int) { f.cluster.Members[i].Kill() }, func(i int) { f.cluster.Members[i].Start(t) })
	f.fail(storetest.Amount(1, 10), "cut off", func(i int) { f.cluster.CutOff(i) }, func(int) { f.cluster.CutOff(-1) })
	f.fail(storetest.Amount(1, 10), "stopped", func(i int) { must(t, f.cluster.Members[i].Signal(syscall.SIGSTOP)) },
		func(i int) { must(t, f.cluster.Members[i].Signal(syscall.SIGCONT)) })
	f.mu.Lock()
	f.stopped = true
	f.mu.Unlock()
	writers.Wait()
	l, err := store.Open(f.machines[0].dir, store.Options{Cluster: etcd.Connect})
	must(t, err)
	defer l.Close()
	f.heardAll(l)
	for i, x := range consoles {
		last := fmt.Sprintf("[last-%d]", i)
		f.machines[1-i].must("say", f.agents[i], last)
		sent[i] = append(sent[i], last)
		x.showing("I heard " + last)
	}
	f.heardAll(l)
	f.judge(l, slices.Concat(sent...))
}

// heardAll waits until no agent has a message that waits.
func (f *liveFleet) heardAll(l *store.Ledger) {
	f.t.Helper()
	begun := time.Now()
	f.until(2*time.Minute, func() (bool, any) {
		wait := map[string]int{}
		must(f.t, l.View(ctx, func(r model.Reader) error {
			for _, name := range f.agents {
				if a, _ := r.Agent(model.AgentID(name)); a.QueuedInput > 0 || a.Turn != nil {
					wait[name] = a.QueuedInput
				}
			}
			return nil
		}))
		return len(wait) == 0, wait
	})
	f.t.Logf("all messages were taken %v later", time.Since(begun).Round(time.Millisecond))
}

// until asks again until something is done, for at most the limit. left is what is missing until then.
func (f *liveFleet) until(limit time.Duration, done func() (is bool, left any)) {
	f.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(limit); ; <-tick.C {
		is, left := done()
		switch {
		case is:
			return
		case time.Now().After(end):
			f.t.Fatalf("after %v this is missing: %v", limit, left)
		}
	}
}

// configure tells how the agent's program is started.
func (f *liveFleet) configure(dir, agent string) {
	f.t.Helper()
	c := storetest.Command(f.t, "hears", filepath.Join(f.heard, agent))
	must(f.t, os.MkdirAll(filepath.Join(dir, "vise"), 0o700))
	file, err := os.OpenFile(filepath.Join(dir, "vise", "config.yaml"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(f.t, err)
	defer file.Close()
	if at, _ := file.Seek(0, io.SeekEnd); at == 0 {
		fmt.Fprintln(file, "agents:")
	}
	fmt.Fprintf(file, "  %s: {command: [%q], adapter: acp, env: [%q]}\n", agent, c.Path, c.Env[len(c.Env)-1])
}

// write sends one message after the other, each until it is accepted, and returns them.
func (f *liveFleet) write(m *fleetHome, by string) (sent []string) {
	for n := 0; ; n++ {
		words := fmt.Sprintf("[%s-%d]", by, n)
		for {
			out, err := m.command("say", f.agents[n%len(f.agents)], words, "--key", words).CombinedOutput()
			f.mu.Lock()
			if err == nil {
				f.accepted = append(f.accepted, time.Now())
			} else {
				f.busy++
			}
			stopped := f.stopped
			f.mu.Unlock()
			if err == nil {
				if sent = append(sent, words); stopped {
					return sent
				}
				break
			}
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 75 {
				f.t.Errorf("%s: %v\n%s", words, err, out)
				return sent
			}
		}
	}
}

// fail lets the leader fail and come back, each time under load.
func (f *liveFleet) fail(times int, how string, fail, mend func(member int)) {
	f.t.Helper()
	for range times {
		f.await(20)
		at := f.cluster.Leader(f.t)
		fail(at)
		f.await(20)
		mend(at)
		f.await(20)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.t.Logf("%s %d times: %d messages accepted so far, %d times busy", how, times, len(f.accepted), f.busy)
}

// await waits for so many more accepted messages.
func (f *liveFleet) await(more int) {
	f.t.Helper()
	count := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.accepted)
	}
	want := count() + more
	f.until(time.Minute, func() (bool, any) {
		return count() >= want, fmt.Sprintf("%d of %d accepted messages", want-count(), want)
	})
}

// judge compares what was sent with what the programs were given, and with what the history says that they said.
func (f *liveFleet) judge(l *store.Ledger, sent []string) {
	f.t.Helper()
	given, said := map[string]int{}, map[string]int{}
	for _, name := range f.agents {
		raw, err := os.ReadFile(filepath.Join(f.heard, name))
		must(f.t, err)
		for _, words := range strings.Fields(string(raw)) {
			given[words]++
		}
	}
	must(f.t, l.View(ctx, func(r model.Reader) error {
		for _, name := range f.agents {
			for _, e := range r.History(model.AgentID(name), model.Position{}, 1_000_000) {
				if e.Kind != model.EventRound {
					continue
				}
				for _, words := range marker.FindAllString(string(e.Data), -1) {
					said[words]++
				}
			}
		}
		return nil
	}))
	for what, counted := range map[string]map[string]int{"given": given, "in the history": said} {
		lost, doubled := 0, 0
		for _, words := range sent {
			switch n := counted[words]; {
			case n == 0:
				lost++
				f.t.Errorf("%s was not %s", words, what)
			case n > 1:
				doubled++
				f.t.Errorf("%s was %d times %s", words, n, what)
			}
		}
		f.t.Logf("%d messages: %d not %s, %d more than once", len(sent), lost, what, doubled)
	}
	f.t.Logf("%d times busy, longest silence %v", f.busy, storetest.Silence(f.accepted))
	if h, err := l.Check(ctx); err != nil || !h.Healthy() {
		f.t.Errorf("%q %v", h.Problems, err)
	}
}
