package e2e

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	measuring = flag.Bool("measure", false, "measure; without it nothing here runs")
	sizes     = flag.String("sizes", "1k,100k,1M", "how many work items the homes have")
	owners    = flag.Int("agents", 10, "among how many agents")
	spread    = flag.String("spread", "100k/1,100k/1000", "further homes, as ITEMS/AGENTS")
	rounds    = flag.Int("rounds", 21, "how often each act is timed, in turns with all others")
	only      = flag.String("only", "", "a part alone: process, ledger, writers, watched, console, upkeep")
	cache     = flag.String("homes", "", "a directory that keeps the homes for the next run")
	out       = flag.String("out", "", "a directory for bench.json and bench.md")
	peers     = flag.Bool("peers", true, "measure other trackers too, where they are installed")
	before    = flag.String("program", "", "a directory with vise and what belongs to it; empty builds them")
)

// TestMeasure runs the whole measurement.
func TestMeasure(t *testing.T) {
	if !*measuring {
		t.Skip("asked for with -measure; see docs/performance.md")
	}
	b := &bench{T: t, dir: t.TempDir(), report: report{Began: time.Now().UTC(), Machine: measuredMachine()}}
	b.build()
	for _, part := range []struct {
		name string
		run  func()
	}{{"process", b.processes}, {"ledger", b.ledgers}, {"writers", b.writers}, {"watched", b.watched}, {"console", b.consoles}, {"upkeep", b.upkeep}} {
		if *only == "" || strings.Contains(*only, part.name) {
			began := time.Now()
			part.run()
			t.Logf("%s: %v", part.name, time.Since(began).Round(time.Second))
		}
	}
	b.report.Took = time.Since(b.report.Began).Round(time.Second).String()
	b.write()
}

// bench is one run.
type bench struct {
	*testing.T
	dir string
	// vise is the program, hello an empty one.
	vise, hello string
	// launcher runs a program and prints its peak memory. This process cannot measure that: a child begins with the
	// size of its parent.
	launcher string
	homes    map[shape]*measuredHome
	report   report
}

// build builds the programs as they are installed.
func (b *bench) build() {
	b.Helper()
	bin := *before
	if bin == "" {
		bin = filepath.Join(b.dir, "bin")
		b.must(b.command("go", "build", "-o", bin+"/", "vise/ui/vise", "vise/ui/vise-markdown").Run())
	}
	b.vise = filepath.Join(bin, "vise")
	b.hello = b.program("hello", "package main\n\nfunc main() { println(\"hello\") }\n")
	b.launcher = b.program("launcher", launcher)
}

// program builds a program of one file.
func (b *bench) program(name, source string) string {
	b.Helper()
	path := filepath.Join(b.dir, name)
	b.must(os.WriteFile(path+".go", []byte(source), 0o600))
	b.must(b.command("go", "build", "-o", path, path+".go").Run())
	return path
}

const launcher = `package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

func main() {
	c := exec.Command(os.Args[1], os.Args[2:]...)
	if err := c.Run(); err != nil {
		os.Exit(1)
	}
	fmt.Print(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}
`

func (b *bench) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), name, args...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	c.Stderr = os.Stderr
	return c
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// count reads 1k, 100k, 1M or a number.
func count(s string) (int, error) {
	times := 1
	switch {
	case strings.HasSuffix(s, "k"):
		times = 1_000
	case strings.HasSuffix(s, "M"):
		times = 1_000_000
	}
	n, err := strconv.Atoi(strings.TrimRight(s, "kM"))
	return n * times, err
}

// shapes returns the homes of -sizes; all adds those of -spread.
func (b *bench) shapes(all bool) []shape {
	var out []shape
	for _, s := range strings.Split(*sizes, ",") {
		n, err := count(s)
		b.must(err)
		out = append(out, shape{n, *owners})
	}
	if all && *spread != "" {
		for _, s := range strings.Split(*spread, ",") {
			items, among, _ := strings.Cut(s, "/")
			n, err := count(items)
			b.must(err)
			a, err := count(among)
			b.must(err)
			out = append(out, shape{n, a})
		}
	}
	return out
}

// largest returns the largest home of -sizes.
func (b *bench) largest() shape {
	all := b.shapes(false)
	return all[len(all)-1]
}

// machine describes the machine, as far as the figures need it.
func measuredMachine() string {
	raw, _ := os.ReadFile("/proc/loadavg")
	load := strings.Fields(string(raw) + " ?")[0]
	cpu := "unknown processor"
	info, _ := os.ReadFile("/proc/cpuinfo")
	for _, line := range strings.Split(string(info), "\n") {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			cpu = strings.TrimSpace(strings.TrimLeft(name, "\t :"))
			break
		}
	}
	return cpu + ", load at the start " + load
}
