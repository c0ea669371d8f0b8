package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// limit is what each start of a program can cost, at most: the memory that packages allocate to initialise, which does
// not depend on load as their time does; and libraries that the program must not link, because of their cost at a start
// and in memory.
type limit struct {
	program string
	allocs  int
	heavy   []string
}

// renderers are the libraries that only vise-markdown links.
var renderers = []string{
	"charm.land/glamour/v2", "charm.land/glamour/v2/ansi", "github.com/alecthomas/chroma/v2", "github.com/yuin/goldmark", "vise/ui/markdown/glamour",
}

// clients are the libraries that only vise-fleet links.
var clients = []string{"go.etcd.io/etcd/client/v3", "google.golang.org/grpc", "vise/store/etcd"}

var limits = []limit{
	{"vise", 2500, append(renderers, clients...)},
}

func TestTheProgramsLinkNothingHeavy(t *testing.T) {
	for _, l := range limits {
		out, err := exec.Command("go", "list", "-deps", "vise/ui/"+l.program).Output()
		if err != nil {
			t.Fatal(err)
		}
		linked := map[string]bool{}
		for _, p := range strings.Fields(string(out)) {
			linked[p] = true
		}
		if !linked["vise/store"] {
			t.Fatalf("%s does not link the ledger; is this the program?", l.program)
		}
		for _, p := range l.heavy {
			if linked[p] {
				t.Errorf("%s links %s", l.program, p)
			}
		}
	}
}

func TestInitialisationStaysSmall(t *testing.T) {
	dir := t.TempDir()
	for _, l := range limits {
		program := filepath.Join(dir, l.program)
		build := exec.Command("go", "build", "-o", program, "vise/ui/"+l.program)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		ms, allocs, trace := initialised(t, program, "version")
		t.Logf("%s: %.2f ms, %d allocations", l.program, ms, allocs)
		if allocs > l.allocs {
			t.Errorf("packages of %s make %d allocations to initialise, at most %d are allowed:\n%s", l.program, allocs, l.allocs, trace)
		}
	}
}

// initialised sums what the runtime reports about each package's initialisation.
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
