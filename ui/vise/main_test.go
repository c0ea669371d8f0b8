package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// What every start of the front pays for, at most: the time that packages take to
// initialise, the best of some runs, and what they allocate, which no load changes.
const (
	mostInit   = 1.0 // ms
	mostAllocs = 900
)

// heavy are libraries whose initialisation or size the front does not pay for.
var heavy = []string{
	"charm.land/glamour/v2", "charm.land/bubbletea/v2", "charm.land/fang/v2", "github.com/alecthomas/chroma/v2",
	"github.com/yuin/goldmark", "github.com/modelcontextprotocol/go-sdk/mcp", "net/http", "vise/ui/console",
}

func TestTheFrontLinksNothingHeavy(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, p := range strings.Fields(string(out)) {
		linked[p] = true
	}
	if !linked["vise/store"] {
		t.Fatal("it does not link the ledger; is this the front?")
	}
	for _, p := range heavy {
		if linked[p] {
			t.Errorf("it links %s", p)
		}
	}
}

func TestInitialisationStaysSmall(t *testing.T) {
	front := filepath.Join(t.TempDir(), "vise")
	build := exec.Command("go", "build", "-o", front, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	best, allocs, trace := 1e9, 0, ""
	for range 9 {
		ms, n, out := initialised(t, front, "version")
		if ms < best {
			best, allocs, trace = ms, n, out
		}
	}
	t.Logf("%.2f ms, %d allocations", best, allocs)
	if best > mostInit || allocs > mostAllocs {
		t.Errorf("packages take %.2f ms and %d allocations to initialise, at most %.2f and %d are allowed:\n%s", best, allocs, mostInit, mostAllocs, trace)
	}
}

// initialised sums what the runtime tells of each package's initialisation.
func initialised(t *testing.T, program string, args ...string) (ms float64, allocs int, trace string) {
	t.Helper()
	c := exec.Command(program, args...)
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	raw, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	for _, line := range strings.Split(string(raw), "\n") {
		// init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs
		f := strings.Fields(line)
		if len(f) != 11 || f[0] != "init" {
			continue
		}
		took, errTook := strconv.ParseFloat(f[4], 64)
		n, errN := strconv.Atoi(f[9])
		if errTook != nil || errN != nil {
			t.Fatalf("not understood: %s", line)
		}
		ms, allocs = ms+took, allocs+n
	}
	if allocs == 0 {
		t.Fatalf("no trace:\n%s", raw)
	}
	return ms, allocs, string(raw)
}
