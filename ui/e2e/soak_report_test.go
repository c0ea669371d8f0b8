package e2e

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"vise/store/storetest"
)

// The bounds of a soak's figures: growth, and the time of a call.
const (
	maxSlope  = 1.0 // MB of a process's own memory in ten minutes
	maxDrift  = 2.0 // descriptors or threads in ten minutes
	maxP99    = 100 * time.Millisecond
	maxGrowth = 0.10 // of the ledger, between its two halves
)

// gauges are the measured values of processes over their lives.
type gauges struct{ lives map[string]*life }

// life is one process from its start to its end, in samples.
type life struct{ samples []sample }

type sample struct {
	at                           time.Duration
	memory, descriptors, threads float64
	// goroutines are known of the server alone.
	goroutines float64
}

func newGauges() *gauges { return &gauges{lives: map[string]*life{}} }

// begin starts another life of a process.
func (g *gauges) begin(name string) {
	for n := 1; ; n++ {
		key := fmt.Sprintf("%s, life %d", name, n)
		if g.lives[key] == nil {
			g.lives[key] = &life{}
			return
		}
	}
}

// latest returns the present life of a process.
func (g *gauges) latest(name string) *life {
	var found *life
	for n := 1; ; n++ {
		l := g.lives[fmt.Sprintf("%s, life %d", name, n)]
		if l == nil {
			return found
		}
		found = l
	}
}

// sampleAll measures the processes that are kept.
func (s *soak) sampleAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := time.Since(s.began)
	for name, p := range s.procs {
		if x, ok := measure(p.process.Pid); ok && p.kept {
			x.at = at
			if name == "serve 1" {
				x.goroutines = goroutines(s.url)
			}
			l := s.gauges.latest(name)
			l.samples = append(l.samples, x)
		}
	}
}

// measure reads a process's values from the system.
func measure(pid int) (x sample, ok bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return x, false
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		n, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
		switch name {
		case "RssAnon": // not the pages of the ledger's file that it has read
			x.memory = n / 1024
		case "Threads":
			x.threads = n
		}
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	x.descriptors = float64(len(fds))
	return x, err == nil && x.memory > 0
}

// goroutines asks the server for its number of goroutines.
func goroutines(base string) (n float64) {
	client := http.Client{Timeout: time.Second}
	got, err := client.Get(base + "/metrics")
	if err != nil {
		return 0
	}
	defer got.Body.Close()
	raw, _ := io.ReadAll(got.Body)
	if _, after, ok := strings.Cut(string(raw), "\nvise_goroutines "); ok {
		_, _ = fmt.Sscan(after, &n)
	}
	return n
}

// slope returns the growth of a value in ten minutes, by least squares, without the beginning of a life.
func (l *life) slope(settling time.Duration, value func(sample) float64) (perTen float64, n int) {
	var sx, sy, sxx, sxy float64
	for _, x := range l.samples {
		if x.at-l.samples[0].at < settling {
			continue
		}
		t, v := x.at.Minutes()/10, value(x)
		sx, sy, sxx, sxy, n = sx+t, sy+v, sxx+t*t, sxy+t*v, n+1
	}
	if d := float64(n)*sxx - sx*sx; d > 0 {
		perTen = (float64(n)*sxy - sx*sy) / d
	}
	return perTen, n
}

// strict: the figures are compared with their bounds if the run is long enough for a trend.
func (s *soak) strict() bool { return s.duration >= 10*time.Minute }

// report prints the figures, compares those of the long run with their bounds, and keeps them.
func (s *soak) report() {
	var b strings.Builder
	fmt.Fprintf(&b, "%v, %d checks, slowest %v\n", time.Since(s.began).Round(time.Second), len(s.checks), s.slowestCheck())
	for _, what := range slices.Sorted(maps.Keys(s.counts)) {
		fmt.Fprintf(&b, "  %-40s %d\n", what, s.counts[what])
	}
	for _, what := range slices.Sorted(maps.Keys(s.laps)) {
		p50, p99, top := quantiles(s.laps[what])
		fmt.Fprintf(&b, "  %-33s %6d calls, p50 %v, p99 %v, longest %v\n", what, len(s.laps[what]), p50, p99, top)
		if s.strict() && what == "tools" && p99 > maxP99 {
			s.t.Errorf("p99 of the tools is %v, at most %v is asked for", p99, maxP99)
		}
	}
	s.lives(&b)
	s.growth(&b)
	s.t.Log("\n" + b.String())
	path := filepath.Join(storetest.Artefacts(s.t), "soak.txt")
	must(s.t, os.WriteFile(path, []byte(b.String()), 0o600))
	s.t.Logf("kept in %s", path)
	for _, part := range []string{"calls of tools", "killed", "stopped", "deliveries answered 202", "verbs that ended with 0"} {
		if s.counts[part] == 0 {
			s.t.Errorf("nothing of %q happened: the soak shows little", part)
		}
	}
}

// tellAll prints the times of the calls so far, for those who watch a long run.
func (s *soak) tellAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(s.laps)) {
		p50, p99, top := quantiles(slices.Clone(s.laps[what]))
		s.t.Logf("after %v: %s: %d calls, p50 %v, p99 %v, longest %v", time.Since(s.began).Round(time.Second), what, len(s.laps[what]), p50, p99, top)
	}
}

// lives prints each life that was long enough, and compares it with the bounds.
func (s *soak) lives(b *strings.Builder) {
	for _, name := range slices.Sorted(maps.Keys(s.gauges.lives)) {
		l := s.gauges.lives[name]
		memory, n := l.slope(s.settling, func(x sample) float64 { return x.memory })
		if n < 3 {
			continue
		}
		fds, _ := l.slope(s.settling, func(x sample) float64 { return x.descriptors })
		threads, _ := l.slope(s.settling, func(x sample) float64 { return x.threads })
		routines, _ := l.slope(s.settling, func(x sample) float64 { return x.goroutines })
		last := l.samples[len(l.samples)-1]
		fmt.Fprintf(b, "  %-22s %4d samples: memory %.1f MB, %+.2f MB/10 min; descriptors %.0f, %+.2f; threads %.0f, %+.2f; goroutines %.0f, %+.2f\n",
			name, n, last.memory, memory, last.descriptors, fds, last.threads, threads, last.goroutines, routines)
		fmt.Fprintf(b, "  %-22s      a tenth of its life after the other:", "")
		for i := range 10 {
			fmt.Fprintf(b, " %.1f", l.samples[(len(l.samples)-1)*(i+1)/10].memory)
		}
		b.WriteString(" MB\n")
		if s.strict() && (memory > maxSlope || fds > maxDrift || threads > maxDrift || routines > maxDrift) {
			s.t.Errorf("%s grows", name)
		}
	}
}

// growth holds what the changes cost to a model: a change of the second half costs what one
// of the first did. The history's copy, before compression, holds to it both ways; the
// ledger may cost less, because compacting fills its pages.
func (s *soak) growth(b *strings.Builder) {
	if len(s.checks) < 3 {
		return
	}
	first, mid, last := s.checks[0], s.checks[len(s.checks)/2], s.checks[len(s.checks)-1]
	fmt.Fprintf(b, "  ledger: revision %d, %.1f MB in use\n", last.revision, float64(last.inUse)/1e6)
	for _, of := range []struct {
		what   string
		bytes  func(check) int
		shrink bool
	}{
		{"ledger", func(c check) int { return c.inUse }, true},
		{"copy of the history", func(c check) int { return c.copied }, false},
	} {
		per := func(from, to check) float64 {
			return float64(of.bytes(to)-of.bytes(from)) / float64(max(1, to.revision-from.revision))
		}
		early, late := per(first, mid), per(mid, last)
		fmt.Fprintf(b, "  %s: %.0f bytes a change in the first half, %.0f in the second, %+.1f %%\n", of.what, early, late, 100*(late/early-1))
		if s.strict() && (late > early*(1+maxGrowth) || !of.shrink && late < early*(1-maxGrowth)) {
			s.t.Errorf("%s: a change cost %.0f bytes at first and %.0f at last", of.what, early, late)
		}
	}
}

// historyIn is how much the files of the history's copy hold, before closed ones are compressed.
func (s *soak) historyIn(dir string) (n int) {
	paths, _ := filepath.Glob(filepath.Join(dir, "*.vj*"))
	for _, path := range paths {
		if s.closed[path] == 0 {
			size, err := contentSize(path)
			if err != nil {
				continue // a file closed or compressed meanwhile is found under its next name the next time
			}
			if !strings.HasSuffix(path, ".zst") {
				n += size
				continue
			}
			s.closed[path] = size
		}
		n += s.closed[path]
	}
	return n
}

func contentSize(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if !strings.HasSuffix(path, ".zst") {
		info, err := f.Stat()
		return int(info.Size()), err
	}
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return 0, err
	}
	defer z.Close()
	n, err := io.Copy(io.Discard, z)
	return int(n), err
}

func (s *soak) slowestCheck() (d time.Duration) {
	for _, c := range s.checks {
		d = max(d, c.took)
	}
	return d.Round(time.Millisecond)
}

func quantiles(laps []time.Duration) (p50, p99, top time.Duration) {
	slices.Sort(laps)
	at := func(q float64) time.Duration { return laps[int(q*float64(len(laps)-1))].Round(10 * time.Microsecond) }
	return at(0.5), at(0.99), at(1)
}

// inUse returns the bytes of the ledger's file that are not free, by its newer meta page: the pages so far without
// those on the free list. It waits for no lock.
func inUse(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	const page = 4096
	word := func(at int64) uint64 {
		var raw [8]byte
		_, _ = f.ReadAt(raw[:], at)
		return binary.LittleEndian.Uint64(raw[:])
	}
	meta := int64(0)
	if word(page+64) > word(64) { // the transaction's number
		meta = page
	}
	freelist, pages := int64(word(meta+48))*page, word(meta+56)
	free := word(freelist+8) >> 16 & 0xffff // flags, count, overflow
	if free == 0xffff {
		free = word(freelist + 16)
	}
	return int(pages-free) * page
}
