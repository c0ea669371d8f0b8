package markdown

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// A bomb is split and its first screen laid out in a tenth of a second, and needs less than a hundred megabytes. The
// long run checks the tenth, on a quiet machine. The everyday run, beside all other tests, checks that the best of a
// few is within a second: a bomb takes many.
func TestBombsArePaintedAtOnce(t *testing.T) {
	storetest.Slow(t)
	const most = 100 << 10 // KB
	limit := storetest.Amount(time.Second, 100*time.Millisecond)
	style := styleOf(t, "dark")
	paint := func(src string) time.Duration {
		began := time.Now()
		NewRenderer(Whole).View(Split(model.Text(src)), 100, style).Lines(Position{}, 40)
		return time.Since(began)
	}
	paint(planOf(10 << 10)) // what is made once
	all := bombs()
	before := resident(t)
	var slowest time.Duration
	for _, bomb := range all {
		took := paint(bomb.src)
		for range storetest.Amount(4, 0) {
			if took > limit/2 {
				took = min(took, paint(bomb.src))
			}
		}
		if slowest = max(slowest, took); took > limit {
			t.Errorf("%s: the first screen took %v", bomb.name, took)
		}
	}
	grown := resident(t) - before
	t.Logf("%d bombs, the slowest in %v; %d MB more at most", len(all), slowest, grown>>10)
	if grown > most {
		t.Errorf("they took %d MB", grown>>10)
	}
}

var highest = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// resident returns the peak memory of this process, in KB; 0 if the system does not report it.
func resident(t *testing.T) int {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	m := highest.FindSubmatch(raw)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
