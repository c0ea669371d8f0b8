package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// slower is the ratio from which on an act counts as slower than it was.
const slower = 1.05

// pairs runs each act of an earlier program and of today's in turns, and compares them pair by pair: both of a pair meet
// the same other work on the machine.
type pairs struct {
	*bench
	sides [2]*side // of the earlier program, of today's
	items [2][]string
}

// The acts of today's program take as long as those of an earlier one: -against COMMIT builds it, -oracle PATH names it.
// -rounds says how many pairs there are.
func TestPairs(t *testing.T) {
	earlier := filepath.Dir(*oracle)
	switch {
	case *measuring || *oracle == "" && *against == "":
		t.Skip("needs an earlier program: -against COMMIT, or -oracle PATH")
	case *against != "":
		earlier = buildOf(t, *against)
	}
	today := *before
	if today == "" {
		today = buildOf(t, "")
	}
	p := &pairs{bench: &bench{T: t, dir: t.TempDir()}}
	for i, dir := range []string{earlier, today} {
		p.sides[i] = newSide(t, filepath.Join(dir, "vise"), filepath.Join(p.dir, [...]string{"old", "new"}[i]))
		p.items[i] = p.fill(p.sides[i])
	}
	t.Logf("%s\n%-32s %9s %9s %6s  half of the ratios", measuredMachine(), "ms (median)", "earlier", "today", "ratio")
	p.commands()
	p.firstFrames()
	p.keysAndSaves()
	p.crowds()
}

// pairedItems is how many work items each home has.
const pairedItems = 1000

// fill gives a home items of ten agents, through their tools, and returns those of the first agent that are open.
func (p *pairs) fill(s *side) []string {
	var open []string
	id := regexp.MustCompile(`"id":"(wi-[0-9a-z]+)"`)
	for i := range pairedItems {
		agent := fmt.Sprintf("agent-%d", i%10)
		if i < 10 {
			s.run([]string{"agents", "add", agent})
		}
		made := id.FindStringSubmatch(s.call(agent, "CreateWorkItem",
			fmt.Sprintf(`{"objective":"Split part %d of the gateway into a service of its own","plan":"# Part %d\n","todo_list":[{"text":"measure","state":"pending"}]}`, i, i)))
		if len(made) == 0 {
			p.Fatal("nothing was created")
		}
		switch {
		case i/10%2 == 0 && i >= 10:
			s.call(agent, "CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, made[1]))
		case i/10%5 == 1:
			s.call(agent, "UpdateWorkItem", fmt.Sprintf(`{"work_item_id":%q,"blocked_by":"a review"}`, made[1]))
		case i%10 == 0:
			open = append(open, made[1])
		}
	}
	s.stop()
	return open
}

// compare runs an act n times on each side in turns, in changing order, after a first time that warms up.
func (p *pairs) compare(row string, n int, act func(side, nth int) time.Duration) {
	p.Helper()
	var took [2][]float64
	var ratios []float64
	for nth := range n + 1 {
		var pair [2]float64
		for k := range 2 {
			i := (k + nth) % 2
			pair[i] = ms(act(i, nth))
		}
		if nth > 0 && pair[0] > 0 && pair[1] > 0 {
			took[0], took[1], ratios = append(took[0], pair[0]), append(took[1], pair[1]), append(ratios, pair[1]/pair[0])
		}
	}
	ratio := at(ratios, 50)
	p.Logf("%-32s %9.2f %9.2f %6.3f  %.2f to %.2f (%d pairs)", row, at(took[0], 50), at(took[1], 50), ratio, at(ratios, 25), at(ratios, 75), len(ratios))
	if len(ratios) < n/2 {
		p.Errorf("%s: only %d of %d pairs succeeded", row, len(ratios), n)
	} else if ratio > slower {
		p.Errorf("%s takes %.3f times as long as it did", row, ratio)
	}
}

// commands compares whole processes.
func (p *pairs) commands() {
	for _, c := range []struct {
		name string
		argv func(items []string, n int) []string
	}{
		{"version", func([]string, int) []string { return []string{"version"} }},
		{"list", func([]string, int) []string { return []string{"list", "--agent", "agent-0", "--json"} }},
		{"show", func(items []string, n int) []string { return []string{"show", items[n%len(items)], "--json"} }},
		{"inbox", func([]string, int) []string { return []string{"inbox", "--json"} }},
		{"new", func(_ []string, n int) []string {
			return []string{"new", fmt.Sprint("Measured ", n), "--agent", "agent-1"}
		}},
		{"complete", nil},
		{"a hook", func([]string, int) []string { return []string{"hook", "claude", "Stop"} }},
	} {
		p.compare("vise "+c.name, 5**rounds, func(i, n int) time.Duration {
			s := p.sides[i]
			var argv []string
			if c.argv == nil { // a completed item cannot be completed again
				made := regexp.MustCompile(`wi-[0-9a-z]+`).FindString(s.run([]string{"new", "To be completed", "--agent", "agent-2"}))
				argv = []string{"complete", made}
			} else {
				argv = c.argv(p.items[i], n)
			}
			cmd := exec.Command(s.program, argv...)
			cmd.Dir, cmd.Env = filepath.Join(s.dir, "repo"), s.env
			began := time.Now()
			if err := cmd.Run(); err != nil {
				p.Fatalf("%q: %v", argv, err)
			}
			return time.Since(began)
		})
	}
}

// open starts a console.
func (p *pairs) open(i int) *measuredTerminal {
	s := p.sides[i]
	return p.terminal(append(s.env, "VISE_AGENT=agent-0"), s.program)
}

func (p *pairs) firstFrames() {
	p.compare("first full frame", *rounds, func(i, _ int) time.Duration {
		x := p.open(i)
		defer x.end()
		if _, ok := x.shows(aWord, 20*time.Second); !ok {
			return 0
		}
		last, _ := x.changes(x.began, time.Second, 60*time.Millisecond)
		return last.Sub(x.began)
	})
}

// keysAndSaves compares open consoles: a key to its frame, a plan's save to the screen.
func (p *pairs) keysAndSaves() {
	var open [2]*measuredTerminal
	var plans [2]string
	for i, s := range p.sides {
		item := p.items[i][0]
		s.run([]string{"pick", item, "--agent", "agent-0", "--reason", "measured"})
		path := strings.Fields(s.run([]string{"plan", "path", item}))
		plans[i] = path[len(path)-1]
		open[i] = p.open(i)
		defer open[i].end()
		if _, ok := open[i].shows(aWord, 20*time.Second); !ok {
			p.Fatal("no console")
		}
	}
	<-time.After(time.Second)
	p.compare("key to frame", 8**rounds, func(i, n int) time.Duration {
		key := "j"
		if n%20 >= 10 {
			key = "k"
		}
		pressed := time.Now()
		_, err := open[i].file.WriteString(key)
		p.must(err)
		last, ok := open[i].changes(pressed, 500*time.Millisecond, 25*time.Millisecond)
		if !ok {
			return 0
		}
		return last.Sub(pressed)
	})
	for i := range open { // back to the item whose plan is saved
		_, err := open[i].file.WriteString("\x1b[H")
		p.must(err)
		open[i].changes(time.Now(), time.Second, 300*time.Millisecond)
	}
	p.compare("plan saved to the screen, 10 KB", *rounds, func(i, n int) time.Duration {
		mark := fmt.Sprintf("Mark%03d", n)
		p.must(os.WriteFile(plans[i]+".new", []byte("# Plan "+mark+"\n\n"+strings.Repeat("What is done here, line by line.\n", 300)), 0o600))
		saved := time.Now()
		p.must(os.Rename(plans[i]+".new", plans[i]))
		seen, ok := open[i].shows(mark, 3*time.Second)
		<-time.After(300 * time.Millisecond)
		if !ok {
			return 0
		}
		return seen.Sub(saved)
	})
}

// crowds compares many writers: 64 processes at once, and the servers of eight agents that make 25 changes each.
func (p *pairs) crowds() {
	p.compare("64 writers, a process each", *rounds/2, func(i, n int) time.Duration {
		s := p.sides[i]
		var all sync.WaitGroup
		began := time.Now()
		for k := range 64 {
			all.Go(func() {
				s.run([]string{"new", fmt.Sprint("Written ", n), "--agent", fmt.Sprintf("agent-%d", k%10)})
			})
		}
		all.Wait()
		return time.Since(began)
	})
	var servers [2][]*side
	for i, s := range p.sides {
		for k := range 8 {
			one := *s
			one.servers = map[string]*server{}
			one.call(fmt.Sprintf("agent-%d", k), "ListWorkItems", `{}`)
			servers[i] = append(servers[i], &one)
			defer one.stop()
		}
	}
	p.compare("200 calls of tools, 8 servers", *rounds/2, func(i, n int) time.Duration {
		var all sync.WaitGroup
		began := time.Now()
		for k, s := range servers[i] {
			all.Go(func() {
				for range 25 {
					s.call(fmt.Sprintf("agent-%d", k), "CreateWorkItem", `{"objective":"Written while it was measured"}`)
				}
			})
		}
		all.Wait()
		return time.Since(began)
	})
}
