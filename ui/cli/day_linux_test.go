package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/store/files"
	"vise/store/storetest"
)

// A day at the console: the real program on a pseudo-terminal, on a ledger that agents change through other processes,
// while plans are saved many times a second and the terminal changes its size. The long run prints its figures every
// minute:
//
//	go test ./ui/cli -run TestADayAtTheConsole -day 30m -timeout 50m -v
var dayLong = flag.Duration("day", 10*time.Second, "how long the day at the console lasts")

// The bounds of a day.
const (
	dayIdleCPU  = 2   // percent of a core, while nothing happens
	dayGrowth   = 1.2 // memory of the last quarter against the second
	daySlack    = 6   // MiB by which the memory may always differ
	dayKeyLimit = time.Second
)

func TestADayAtTheConsole(t *testing.T) {
	storetest.Slow(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	d := &day{crowd: &crowd{t: t, home: t.TempDir()}, rand: rand.New(rand.NewPCG(seed, 1)), over: make(chan struct{})}
	d.furnish()
	d.open()
	var all sync.WaitGroup
	for n := range 2 {
		all.Go(func() { d.agent(fmt.Sprint("agent-", n), rand.New(rand.NewPCG(seed, uint64(n)+10))) })
	}
	all.Go(func() { d.storms(rand.New(rand.NewPCG(seed, 2))) })
	all.Go(func() { d.resizes(rand.New(rand.NewPCG(seed, 3))) })
	all.Go(d.operate)
	all.Go(d.sample)
	end := time.NewTimer(*dayLong)
	<-end.C
	close(d.over)
	all.Wait()
	d.rest()
	d.leave()
	d.reckon()
}

type day struct {
	*crowd
	rand *rand.Rand
	over chan struct{}
	term *terminal
	// sizing keeps the size while the operator acts.
	sizing sync.Mutex

	items []string
	keys  []time.Duration
	acts  int
	rss   []float64
	saves int
	turns int
}

// pause waits, and reports whether the day goes on.
func (d *day) pause(span time.Duration) bool {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-d.over:
		return false
	case <-timer.C:
		return true
	}
}

// furnish makes the work that exists at the start.
func (d *day) furnish() {
	d.must("init", "--agent", "agent-0")
	for n := range 24 {
		agent := fmt.Sprintf("agent-%d", n%2)
		var out crowdAnswer
		if err := json.Unmarshal(d.must("new", fmt.Sprintf("Work %d 日本語 of the day", n), "--agent", agent), &out); err != nil {
			d.t.Fatal(err)
		}
		d.items = append(d.items, out.Data.WorkItem.ID)
	}
	d.must("wait", d.items[0], "--operator", "LRU or LFU?")
}

// agent is one agent's day: it picks its items, blocks, waits, is triggered, completes and makes new work.
func (d *day) agent(name string, r *rand.Rand) {
	d.mu.Lock()
	var mine []string
	for i, id := range d.items {
		if fmt.Sprintf("agent-%d", i%2) == name {
			mine = append(mine, id)
		}
	}
	d.mu.Unlock()
	for n := 0; d.pause(time.Duration(200+r.IntN(800)) * time.Millisecond); n++ {
		id := mine[r.IntN(len(mine))]
		args := [][]string{
			{"pick", id, "--reason", "its turn"},
			{"update", id, "--todos", "-"},
			{"block", id, fmt.Sprintf("agent %s %d", name, n)},
			{"wait", id, "--external", fmt.Sprint("run/", n), "--source", "ci.github"},
			{"trigger", id, "--source", "ci.github"},
			{"new", fmt.Sprintf("More work %d of %s", n, name)},
			{"complete", id},
		}[r.IntN(7)]
		cmd := d.command(d.t.Context(), append(args, "--agent", name)...)
		cmd.Env = append(cmd.Env, "VISE_ACTOR=agent:"+name)
		raw, _ := cmd.Output() // refusals by rules are expected
		var out crowdAnswer
		if json.Unmarshal(raw, &out) == nil && args[0] == "new" && out.Data.WorkItem.ID != "" && len(mine) < 200 {
			mine = append(mine, out.Data.WorkItem.ID)
		}
		d.mu.Lock()
		d.turns++
		d.mu.Unlock()
	}
}

// storms saves plans ten times a second for a while, in the ways of editors.
func (d *day) storms(r *rand.Rand) {
	home, err := files.NewHome(d.home)
	if err != nil {
		d.t.Error(err)
		return
	}
	for n := 0; d.pause(100 * time.Millisecond); n++ {
		if n%100 > 60 {
			continue
		}
		i := r.IntN(4)
		path := home.PlanPath("agent-0", modelItem(d.items[i*2]))
		text := fmt.Sprintf("# Plan %d\n\nSave %d.\n\n%s", i, n, strings.Repeat(fmt.Sprintf("- step %d\n", r.IntN(50)), 1+r.IntN(80)))
		if n%2 == 0 {
			err = files.WriteAtomic(path, []byte(text))
		} else {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			d.t.Errorf("save: %v", err)
		}
		d.mu.Lock()
		d.saves++
		d.mu.Unlock()
	}
}

// resizes changes the terminal's size, down to one cell, and back.
func (d *day) resizes(r *rand.Rand) {
	sizes := [][2]int{{80, 24}, {50, 20}, {1, 1}, {39, 9}, {200, 60}, {40, 40}, {72, 10}, {3, 200}}
	for d.pause(time.Duration(1500+r.IntN(4000)) * time.Millisecond) {
		d.sizing.Lock()
		for range 1 + r.IntN(3) {
			s := sizes[r.IntN(len(sizes))]
			d.term.resize(s[0], s[1])
			d.pause(time.Duration(r.IntN(200)) * time.Millisecond)
		}
		d.term.resize(120, 36)
		d.pause(50 * time.Millisecond)
		d.term.send("\x0c")
		d.sizing.Unlock()
	}
}

// cursorRow returns the title in the queue's row under the cursor, as far as it is shown.
var cursorRow = regexp.MustCompile(`(?m)^[┃│]>\S[ +](\S[^\n]*?)(?:…|  | ?[┃│])`)

// dialogTitle returns the item that a dialog is about: its handle, and its title if the dialog shows it.
var dialogTitle = regexp.MustCompile(`━ (Block|Unblock|Objective of|Complete|Wait ) ?(wi-[0-9a-z]{4,8})(?:  ([^\n━]*))?`)

// operate is the operator: moves, reads, acts on the item under the cursor. The act's item must be the one that was
// shown under the cursor before the key.
func (d *day) operate() {
	looks := []string{"j", "k", "J", "K", "]", "[", "\t", "G", "gg", "z", "z", "d", "\x1b", "L", "H", ".", "R", "}", "{", " ", "\x1b", "\x0c"}
	for n := 0; d.pause(time.Duration(20+d.rand.IntN(120)) * time.Millisecond); n++ {
		d.sizing.Lock()
		switch {
		case n%12 == 5:
			d.act(n)
		case n%40 == 17:
			d.term.send("u")
		default:
			d.timed(looks[d.rand.IntN(len(looks))])
		}
		d.sizing.Unlock()
	}
}

// timed sends a key and records the time until the first change on the screen.
func (d *day) timed(key string) {
	began := time.Now()
	d.term.drain()
	d.term.send(key)
	timer := time.NewTimer(dayKeyLimit)
	defer timer.Stop()
	select {
	case at := <-d.term.wrote:
		if key == "j" || key == "k" {
			d.keys = append(d.keys, at.Sub(began))
		}
	case <-timer.C: // a key that changes nothing: the cursor is at the end
	}
}

// esc closes what is open. (Escape and a key right after it would be read as alt and that key.)
func (d *day) esc() {
	for range 3 {
		d.term.send("\x1b")
		timer := time.NewTimer(120 * time.Millisecond)
		<-timer.C
	}
}

// act opens a dialog on the row under the cursor, and submits it or not.
func (d *day) act(n int) {
	for range 6 { // back to the queue, and wait until the screen is quiet
		d.esc()
		if cursorRow.MatchString(d.term.text()) {
			break
		}
	}
	seen := cursorRow.FindStringSubmatch(d.term.text())
	if seen == nil {
		return
	}
	key := []string{"b", "b", "b", "E", "c", "w"}[d.rand.IntN(6)]
	d.term.send(key)
	var title []string
	for range 20 {
		d.pause(20 * time.Millisecond)
		if title = dialogTitle.FindStringSubmatch(d.term.text()); title != nil {
			break
		}
	}
	if title == nil { // the rules do not offer it: the item is completed
		return
	}
	d.acts++
	said := strings.TrimSpace(title[3]) // the row may be cut, or also show what the item waits for
	if !strings.HasPrefix(said, seen[1]) && !strings.HasPrefix(seen[1], said) {
		d.t.Errorf("%s on %s opened %q\n%s", key, seen[1], title[0], d.term.text())
	}
	if title[1] == "Block" {
		d.term.send(fmt.Sprintf("op %s %d\r", title[2], n))
		return
	}
	d.term.send("\x1b")
}

// sample records the console's memory, and prints the state every minute.
func (d *day) sample() {
	for n := 1; d.pause(time.Second); n++ {
		d.rss = append(d.rss, d.term.rss())
		if n%60 == 0 {
			d.mu.Lock()
			d.t.Logf("%d min: %.1f MiB, %d agents' acts, %d saves", n/60, d.rss[len(d.rss)-1], d.turns, d.saves)
			d.mu.Unlock()
		}
	}
}

// rest measures the console while nothing happens.
func (d *day) rest() {
	d.term.resize(119, 36)
	d.esc()
	d.term.resize(120, 36)
	span := min(max(*dayLong/20, 3*time.Second), time.Minute)
	settle := time.NewTimer(3 * time.Second)
	<-settle.C
	before, bytes := d.term.cpu(), d.term.total()
	timer := time.NewTimer(span)
	<-timer.C
	used := float64(d.term.cpu()-before) / float64(span) * 100
	d.t.Logf("idle for %v: %.3f %% of a core, %d bytes written", span, used, d.term.total()-bytes)
	limit := dayIdleCPU
	if *dayLong < time.Minute { // a few seconds, perhaps while other tests run
		limit = 3 * dayIdleCPU
	}
	if used > float64(limit) {
		d.t.Errorf("an idle console takes %.2f %% of a core, at most %d is allowed", used, limit)
	}
}

// leave quits, and expects a clean end.
func (d *day) leave() {
	for range 5 {
		d.esc()
		d.term.send("q")
		gone := time.NewTimer(2 * time.Second)
		select {
		case err := <-d.term.exit:
			d.term.exit <- err
		case <-gone.C:
			continue
		}
		break
	}
	if err := d.term.ended(); err != nil {
		d.t.Errorf("the console ended with %v\n%s", err, d.term.text())
	}
	if tail := d.term.tail(); strings.Contains(tail, "panic") || strings.Contains(tail, "goroutine ") {
		d.t.Errorf("the console panicked:\n%s", tail)
	}
}

// reckon checks the figures of the day, and the results of the operator's acts.
func (d *day) reckon() {
	d.must("doctor")
	d.checkActs()
	slices.Sort(d.keys)
	if n := len(d.keys); n > 0 {
		d.t.Logf("%d keys to frame: p50 %v, p99 %v; %d acts of the operator, %d of agents, %d saves", n,
			d.keys[n/2].Round(100*time.Microsecond), d.keys[n*99/100].Round(100*time.Microsecond), d.acts, d.turns, d.saves)
	}
	if n := len(d.rss); n >= 120 {
		second, last := mean(d.rss[n/4:n/2]), mean(d.rss[n*3/4:])
		d.t.Logf("memory: %.1f MiB in the second quarter, %.1f in the last, peak %.1f", second, last, slices.Max(d.rss))
		if last > second*dayGrowth && last > second+daySlack {
			d.t.Errorf("memory grew from %.1f to %.1f MiB", second, last)
		}
	}
}

func mean(xs []float64) (sum float64) {
	for _, x := range xs {
		sum += x
	}
	return sum / float64(max(len(xs), 1))
}

// checkActs compares each blocker that the operator wrote with its item: the text names the item that was under the
// cursor.
func (d *day) checkActs() {
	said := regexp.MustCompile(`^op (wi-[0-9a-z]+) \d+$`)
	for _, agent := range []string{"agent-0", "agent-1"} {
		var page struct {
			Data struct {
				Items []struct {
					Handle    string `json:"handle"`
					BlockedBy string `json:"blocked_by"`
				} `json:"work_items"`
			} `json:"data"`
		}
		if err := json.Unmarshal(d.must("list", "blocked", "--agent", agent, "--limit", "100"), &page); err != nil {
			d.t.Fatal(err)
		}
		for _, w := range page.Data.Items {
			if m := said.FindStringSubmatch(w.BlockedBy); m != nil && m[1] != w.Handle {
				d.t.Errorf("%s is blocked by %q, which was meant for another item", w.Handle, w.BlockedBy)
			}
		}
	}
}

// open starts the console on a terminal.
func (d *day) open() {
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{"vise", "--home", d.home, "--agent", "agent-0"}
	cmd.Dir = d.t.TempDir()
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "XDG_CONFIG_HOME="+filepath.Join(d.home, "config"))
	d.term = startTerminal(d.t, cmd, 120, 36)
	for range 200 {
		if strings.Contains(d.term.text(), "Queue") {
			return
		}
		d.pause(50 * time.Millisecond)
	}
	d.t.Fatalf("no console:\n%s", d.term.text())
}
