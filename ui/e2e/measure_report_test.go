package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// figure is one measured line.
type figure struct {
	Row     string `json:"row"`
	Program string `json:"program"`
	Size    string `json:"size,omitempty"`
	Unit    string `json:"unit"`
	// P50 is the median; for a rate the mean.
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99,omitempty"`
	CPU float64 `json:"cpu_ms,omitempty"`
	RSS float64 `json:"rss_mib,omitempty"`
	// Latency50 and Latency99 are the times of one change while a rate was measured, in ms.
	Latency50 float64 `json:"latency_p50_ms,omitempty"`
	Latency99 float64 `json:"latency_p99_ms,omitempty"`
	// Failed counts failed or lost changes; Spread is the fastest divided by the slowest.
	Failed int     `json:"failed"`
	Spread float64 `json:"spread,omitempty"`
	N      int     `json:"n"`
	// Hello is the ratio to the empty process of the same run.
	Hello float64 `json:"to_hello,omitempty"`
	// Target is the upper bound of the median, or the lower bound of a rate; zero without one.
	Target    float64 `json:"target,omitempty"`
	Target99  float64 `json:"target_p99,omitempty"`
	ToTarget  float64 `json:"to_target,omitempty"`
	Met       bool    `json:"met"`
	PeerRatio string  `json:"to_peers,omitempty"`
}

type report struct {
	Began   time.Time `json:"began"`
	Took    string    `json:"took"`
	Machine string    `json:"machine"`
	Figures []figure  `json:"figures"`
}

func (r *report) add(f figure) { r.Figures = append(r.Figures, f) }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// at returns a percentile: the smallest sample such that this share of the samples is not larger.
func at(samples []float64, percent int) float64 {
	if len(samples) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(samples))
	return s[max(0, (len(s)*percent+99)/100-1)]
}

// target is the bound of a row: the most, or for a rate the least.
type target struct{ p50, p99 float64 }

// targets are the bounds of the figures, by row; rates by row and size.
var targets = map[string]target{
	"create": {4, 10}, "complete": {4, 10}, "list": {4, 0}, "next": {3, 0}, "show": {3, 0},
	"candidates, in process": {50, 100}, "due index, nothing due": {10, 0}, "scheduler looks, nothing due": {0, 0},
	"tick, 100 due": {8, 0}, "tick, 1000 due": {35, 0}, "open and first page after kill -9": {2, 20},
	"fleet of 1000 agents, key to frame": {9, 15}, "scheduler's first pass over 1000 agents, nothing due": {5, 0},
	"scheduler's pass over 1000 agents, one changed": {5, 0}, "todo list, 10k files": {1000, 0},
	"todo next, 10k files": {1000, 0}, "todo triage, 10k files": {1000, 0}, "todo search, 10k files": {1000, 0},
	"resident, 10k file todos in triage": {60, 0},
	"search all 1M":                      {1000, 0}, "doctor 10k": {1000, 0}, "doctor 100k": {6000, 0}, "doctor 1M": {60000, 0},
	"backup 100k": {4000, 0}, "restore 100k": {12000, 0}, "disk an item, compacted": {2.5, 0},
	"first full frame": {8, 25}, "key to frame": {6, 11}, "plan saved to preview, 10 KB": {8, 15}, "plan saved to preview, 100 KB": {8, 15},
	"plan saved again within 0.6 s, 10 KB": {40, 0}, "plan saved again within 0.6 s, 100 KB": {40, 0}, "plan saved again within 0.6 s, 1 MB": {80, 0},
	"plan saved to preview, 1 MB": {8, 15}, "created elsewhere to row": {12, 20}, "trigger to a waiting process": {8, 0},
	"resident, idle": {20, 0}, "processor, idle": {1.5, 0}, "output, idle": {0, 0},
	"changes a second, one holder, 1 writers 1k": {1800, 0}, "changes a second, one holder, 8 writers 1k": {5000, 0}, "changes a second, one holder, 64 writers 1k": {14000, 0},
	"changes a second, one holder, 1 writers 1M": {1200, 0}, "changes a second, one holder, 8 writers 1M": {2700, 0}, "changes a second, one holder, 64 writers 1M": {5000, 0},
	"changes a second, a process each, 1 at once": {300, 0}, "changes a second, a process each, 8 at once": {450, 0}, "changes a second, a process each, 64 at once": {450, 0},
}

func targetOf(f figure) (target, bool) {
	items, _, _ := strings.Cut(f.Size, "/")
	if t, ok := targets[f.Row+" "+items]; ok {
		return t, true
	}
	t, ok := targets[f.Row]
	return t, ok && f.Program == "vise"
}

// judge compares the figures with the empty process, the targets and the peers.
func (r *report) judge() {
	hello := 0.0
	for _, f := range r.Figures {
		if f.Program == "hello" {
			hello = f.P50
		}
	}
	for i := range r.Figures {
		f := &r.Figures[i]
		if f.CPU > 0 && hello > 0 {
			f.Hello = f.P50 / hello
		}
		if t, ok := targetOf(*f); ok && t.p50 > 0 {
			f.Target, f.Target99, f.ToTarget = t.p50, t.p99, f.P50/t.p50
			f.Met = f.P50 <= t.p50 && (t.p99 == 0 || f.P99 <= t.p99)
			if f.Unit == "/s" {
				f.Met = f.P50 >= t.p50 && f.Failed == 0
			}
		}
		f.PeerRatio = r.toPeers(*f)
	}
}

// toPeers returns a figure divided by that of each peer with as many tasks.
func (r *report) toPeers(f figure) string {
	if f.Program != "vise" || f.CPU == 0 {
		return ""
	}
	items, _, _ := strings.Cut(f.Size, "/")
	var out []string
	for _, p := range r.Figures {
		if p.Row == f.Row && p.Size == items && p.P50 > 0 {
			out = append(out, fmt.Sprintf("%s %.3f", p.Program, f.P50/p.P50))
		}
	}
	return strings.Join(out, ", ")
}

// table is the report for people.
func (r *report) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s; took %s.\n\n", r.Began.Format(time.DateTime), r.Machine, r.Took)
	b.WriteString("| row | program | items/agents | p50 | p99 | unit | to hello | target | to target | met | to peers | rss MiB | n |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, f := range r.Figures {
		cells := []string{f.Row, f.Program, f.Size, number(f.P50), number(f.P99), f.Unit, number(f.Hello), number(f.Target), number(f.ToTarget), "", f.PeerRatio, number(f.RSS), fmt.Sprint(f.N)}
		if f.Target > 0 {
			cells[9] = map[bool]string{true: "yes", false: "no"}[f.Met]
		}
		if f.Latency50 > 0 {
			cells[3] += fmt.Sprintf(" (one takes %s, p99 %s ms)", number(f.Latency50), number(f.Latency99))
		}
		if f.Spread > 0 {
			cells[3] += fmt.Sprintf(" (fastest over slowest %s)", number(f.Spread))
		}
		if f.Failed > 0 {
			cells[12] += fmt.Sprintf(", %d failed or lost", f.Failed)
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return b.String()
}

func number(x float64) string {
	switch {
	case x == 0:
		return ""
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 1:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// write prints the table. With -out it also writes the table, and the figures as JSON.
func (b *bench) write() {
	b.report.judge()
	b.Logf("\n%s", b.report.table())
	if *out == "" {
		return
	}
	raw, err := json.MarshalIndent(b.report, "", " ")
	b.must(err)
	b.must(os.MkdirAll(*out, 0o755))
	for name, text := range map[string]string{"bench.json": string(raw) + "\n", "bench.md": b.report.table()} {
		b.must(os.WriteFile(filepath.Join(*out, name), []byte(text), 0o644))
	}
}

func TestAFigureIsJudgedByItsTarget(t *testing.T) {
	r := report{Figures: []figure{
		{Row: "start and end", Program: "hello", P50: 1.5, CPU: 1},
		{Row: "next", Program: "vise", Size: "1M/10", P50: 3, CPU: 1},
		{Row: "create", Program: "vise", Size: "1k/10", P50: 3, P99: 11, CPU: 1},
		{Row: "create", Program: "task", Size: "1k", P50: 12, CPU: 1},
		{Row: "changes a second, one holder, 64 writers", Program: "vise", Size: "1M/10", Unit: "/s", P50: 4000},
	}}
	r.judge()
	if f := r.Figures[1]; !f.Met || f.Hello != 2 {
		t.Errorf("next: %+v", f)
	}
	if f := r.Figures[2]; f.Met || f.PeerRatio != "task 0.250" {
		t.Errorf("create with a slow tail: %+v", f)
	}
	if f := r.Figures[4]; f.Met || f.ToTarget != 0.8 {
		t.Errorf("too few changes: %+v", f)
	}
}
