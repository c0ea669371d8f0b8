package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"vise/store/storetest"
)

// traced makes a change under strace with the given options. It also returns the trace.
func (s *staged) traced(c change, options ...string) (told, string) {
	file := s.dir + ".trace"
	defer os.Remove(file)
	x := s.ask(c, "k", append([]string{"strace", "-f", "-qq", "-o", file}, options...)...)
	raw, err := os.ReadFile(file)
	must(s.t, err)
	return x, string(raw)
}

// point is the n-th call of a system call in one thread. strace counts by thread.
type point struct {
	call string
	n    int
}

// points returns all system calls of a change that a fault can hit.
func (s *staged) points(t *testing.T, c change, calls string) (out []point) {
	x := s.copied(t)
	_, trace := x.traced(c, "-e", "trace="+calls)
	seen := map[string]int{}
	for line := range strings.Lines(trace) {
		thread, rest, _ := strings.Cut(line, " ")
		call, _, ok := strings.Cut(strings.TrimSpace(rest), "(")
		if seen[thread+call]++; !ok {
			continue
		}
		if p := (point{call, seen[thread+call]}); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// eachPoint injects faults at one in share of the system calls of each change, in a small and in a larger home, and
// judges the answers.
func eachPoint(t *testing.T, share int, calls string, faults ...string) {
	if err := exec.Command(storetest.Needs(t, "strace"), "-qq", "-o", os.DevNull, "true").Run(); err != nil {
		t.Skipf("strace may not trace here: %v", err)
	}
	seed := storetest.Seed(t)
	var mu sync.Mutex
	counts, tried, missed := map[string]int{}, 0, 0
	t.Run("each", func(t *testing.T) {
		for i, grown := range storetest.Amount([]bool{false}, []bool{false, true}) {
			s := newStaged(t, grown)
			for j, name := range slices.Sorted(maps.Keys(changes)) {
				rng := rand.New(rand.NewPCG(seed, uint64(100*i+j)))
				t.Run(fmt.Sprint(name, " grown ", grown), func(t *testing.T) {
					t.Parallel()
					after := s.clean(t, changes[name])
					for _, p := range s.points(t, changes[name], calls) {
						for _, fault := range faults {
							if rng.IntN(share) > 0 {
								continue
							}
							inject := fmt.Sprintf("%s:"+fault, p.call, p.n)
							x := s.copied(t)
							got, trace := x.traced(changes[name], "-e", "trace="+p.call, "-e", "inject="+inject)
							saved, wrong := x.judged(changes[name], "k", got, after)
							if wrong != "" {
								t.Errorf("%s: %s", inject, wrong)
							}
							must(t, os.RemoveAll(x.dir))
							mu.Lock()
							tried++
							counts[fmt.Sprintf("%s, saved %v", got.outcome(), saved)]++
							if got.exit >= 0 && !strings.Contains(trace, "INJECTED") {
								missed++ // another thread made the call in this run
							}
							mu.Unlock()
						}
					}
				})
			}
		}
	})
	t.Logf("%d faults at the system calls of %d changes: %v; %d more met none", tried-missed, len(changes), counts, missed)
	if missed*2 > tried || storetest.Long && len(counts) == 1 {
		t.Errorf("%d of %d met no call, what came of them is %v: the faults are not seen", missed, tried, counts)
	}
}

// A verb or an MCP server is killed at a system call that changes a file. The change is then made or not made. It is
// made if the answer said so, and a second call with the same key makes it at most once (P1, P3).
func TestACallerWhoseProcessIsKilledAtAnyCallRepeatsSafely(t *testing.T) {
	storetest.Slow(t)
	eachPoint(t, storetest.Amount(40, 1),
		"pwrite64,write,fdatasync,fsync,ftruncate,renameat,linkat,unlinkat,mkdirat,fchmodat,openat,flock", "signal=KILL:when=%d")
}

// A system call that changes a file fails. The answers of verbs and tools then say truly that the change is done, not
// done or not known, and give the key to look it up.
func TestAnErrorOfAnyCallIsToldTruly(t *testing.T) {
	storetest.Slow(t)
	eachPoint(t, storetest.Amount(40, 1), "pwrite64,fdatasync,fsync,ftruncate,renameat,linkat,unlinkat",
		"error=EIO:when=%d", "error=ENOSPC:when=%d", "error=EIO:when=%d+", "error=ENOSPC:when=%d+")
}
