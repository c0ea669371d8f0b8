//go:build unix

package e2e

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// The chart's area in pixels, and the range of its axes.
const (
	chartW, chartH  = 760, 380
	left, right     = 70, 150
	top, bottom     = 40, 50
	fewest, most    = 1e3, 1e6
	shortest, limit = 1.0, 1e5 // ms
)

var colours = []string{"#1b6ac9", "#c2410c", "#15803d", "#7c3aed", "#a16207", "#be185d", "#0f766e", "#475569"}

// chart draws the cost of an act against the number of items, both on logarithmic scales. A flat line does not grow
// with the ledger.
func chart(figures []figure) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", chartW, chartH)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/><text x="%d" y="22" font-size="14">One act, one process: milliseconds (median) against work items in the ledger</text>`+"\n", chartW, chartH, left)
	for v := shortest; v <= limit; v *= 10 {
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			left, chartW-right, y(v), y(v), left-8, y(v)+4, short(int(v)))
	}
	for v := fewest; v <= most; v *= 10 {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#eee"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x(v), x(v), top, chartH-bottom, x(v), chartH-bottom+18, short(int(v)))
	}
	for i, l := range lines(figures) {
		l.draw(&b, i)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func x(items float64) float64 {
	return left + (chartW-left-right)*math.Log10(items/fewest)/math.Log10(most/fewest)
}

func y(ms float64) float64 {
	return chartH - bottom - (chartH-top-bottom)*math.Log10(max(ms, shortest)/shortest)/math.Log10(limit/shortest)
}

// line is one act of one program.
type line struct {
	name   string
	points [][2]float64 // items, ms
}

// lines returns the acts that were timed as processes, on homes with the usual number of agents.
func lines(figures []figure) []line {
	byName := map[string]*line{}
	var names []string
	for _, f := range figures {
		if f.CPU == 0 || f.Size == "" || f.Row != "create" && f.Row != "next" {
			continue
		}
		items, among, _ := strings.Cut(f.Size, "/")
		n, err := count(items)
		if err != nil || among != "" && among != fmt.Sprint(*owners) {
			continue
		}
		name := f.Program + " " + f.Row
		if byName[name] == nil {
			byName[name] = &line{name: name}
			names = append(names, name)
		}
		byName[name].points = append(byName[name].points, [2]float64{float64(n), f.P50})
	}
	var out []line
	for _, name := range names {
		l := byName[name]
		slices.SortFunc(l.points, func(a, b [2]float64) int { return int(a[0] - b[0]) })
		out = append(out, *l)
	}
	return out
}

func (l line) draw(b *strings.Builder, i int) {
	colour := colours[i%len(colours)]
	var path []string
	for _, p := range l.points {
		path = append(path, fmt.Sprintf("%.1f,%.1f", x(p[0]), y(p[1])))
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x(p[0]), y(p[1]), colour)
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`, strings.Join(path, " "), colour)
	last := l.points[len(l.points)-1]
	fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s">%s %s ms</text>`+"\n", chartW-right+10, top+14+i*18, colour, l.name, number(last[1]))
}

func TestAFlatActIsALevelLine(t *testing.T) {
	got := chart([]figure{{Row: "next", Program: "vise", Size: "1k/10", P50: 3, CPU: 1}, {Row: "next", Program: "vise", Size: "1M/10", P50: 3, CPU: 1}})
	want := fmt.Sprintf(`points="%.1f,%.1f %.1f,%.1f"`, x(1e3), y(3), x(1e6), y(3))
	if !strings.Contains(got, want) || !strings.Contains(got, "vise next 3.0 ms") {
		t.Errorf("no %s in\n%s", want, got)
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
