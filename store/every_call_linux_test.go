package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"vise/store/storetest"
)

// The tests below look at the real system calls. They check independently the layer on which the tests of every
// operation work. They need strace, and skip with a message without it.

// traced runs a mutation on a copy of the stage with strace's injection. It returns the copy, the process's output, and
// whether the process ended by itself.
func (s stage) traced(t *testing.T, kind, inject string) (dir, said string, ended bool) {
	t.Helper()
	strace := storetest.Needs(t, "strace")
	dir, l := s.copied(t, &Faults{})
	must(l.Close())
	cmd := storetest.Command(t, "mutate", dir, kind, string(s.queued), string(s.focused), string(s.waiting), string(s.asking), string(s.child), string(s.ingress))
	calls, _, _ := strings.Cut(inject, ":")
	cmd.Args = []string{strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace=" + calls, "-e", "inject=" + inject, cmd.Path}
	cmd.Path = strace
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1") // strace counts the calls of each thread separately
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("strace cannot trace here: %v", err)
	}
	return dir, strings.TrimSpace(string(out)), err == nil
}

// eachCall calls try for the first, second, … of some system calls of every mutation, in a small and a grown home,
// until no call is that late; early says that there may be one. The everyday run tries each step-th call.
func eachCall(t *testing.T, step int, try func(t *testing.T, s stage, kind, after string, at int, early bool) (more bool)) {
	rng := rand.New(rand.NewPCG(storetest.Seed(t), 1))
	points := 0
	for _, grown := range []bool{false, true} {
		s := newStage(t, grown)
		for kind := range mutations {
			n, after := s.clean(t, s.envelope(kind))
			last := n + 20 // opening makes a few more system calls than the layer knows
			for at := 1 + rng.IntN(step); at <= last+200; at += step {
				points++
				if !try(t, s, kind, after, at, at < last) || t.Failed() {
					break
				}
			}
		}
	}
	t.Logf("%d system calls of %d mutations", points, len(mutations))
}

// A process that is killed at any of its system calls that change a file leaves the state before the mutation or after
// it, and its retry leads to the state after it (P1, P3).
func TestAKillAtAnySystemCallLeavesBeforeOrAfter(t *testing.T) {
	storetest.Slow(t)
	const calls = "pwrite64,write,fdatasync,fsync,ftruncate,renameat,linkat,unlinkat,mkdirat,fchmodat,openat,flock"
	between := map[string]int{}
	eachCall(t, storetest.Amount(40, 1), func(t *testing.T, s stage, kind, after string, at int, early bool) bool {
		dir, said, ended := s.traced(t, kind, fmt.Sprintf("%s:signal=KILL:when=%d", calls, at))
		got, err := everything(dir)
		switch {
		case err != nil || got != s.before && got != after || said == "ok" && got != after:
			t.Errorf("%s, killed at %d: said %q; read with %v, before %v, after %v", kind, at, said, err, got == s.before, got == after)
		case got == after:
			between["after"]++
		default:
			between["before"]++
		}
		converges(t, dir, s.envelope(kind), after)
		must(os.RemoveAll(dir))
		return early || !ended
	})
	t.Log(between)
	if between["before"] == 0 || between["after"] == 0 {
		t.Error("all ended alike: nothing was killed in the middle")
	}
}

// The answer to an error of any writing system call is true: done, not done or not known.
func TestAnErrorOfAnySystemCallIsAnsweredTruly(t *testing.T) {
	storetest.Slow(t)
	const calls = "pwrite64,fdatasync,fsync,ftruncate,renameat,linkat,unlinkat"
	answers := map[string]int{}
	for _, errno := range []string{"EIO", "ENOSPC"} {
		for _, sticky := range []string{"", "+"} {
			eachCall(t, storetest.Amount(60, 1), func(t *testing.T, s stage, kind, after string, at int, early bool) bool {
				dir, said, ended := s.traced(t, kind, fmt.Sprintf("%s:error=%s:when=%d%s", calls, errno, at, sticky))
				got, err := everything(dir)
				is := said == "ok" && got == after || said == "failed" && got == s.before || (said == "unknown" || !ended) && (got == s.before || got == after)
				if err != nil || !is {
					t.Errorf("%s, %s at %d%s: said %q; read with %v, before %v, after %v", kind, errno, at, sticky, said, err, got == s.before, got == after)
				}
				answers[said]++
				converges(t, dir, s.envelope(kind), after)
				must(os.RemoveAll(dir))
				return early
			})
		}
	}
	t.Log(answers)
	if answers["ok"] == 0 || answers["failed"] == 0 {
		t.Error("all was answered alike: the faults are not seen")
	}
}
