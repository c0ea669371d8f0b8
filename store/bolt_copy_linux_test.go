package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vise/store/files"
	"vise/store/storetest"
)

// fileOp is an operation on the ledger's file, and the bytes that it covers.
type fileOp struct {
	kind     files.Kind
	from, to int64
}

var straced = regexp.MustCompile(`(pwrite64|ftruncate|fsync|fdatasync)\(\d+(?:, ""\.*)?(?:, (\d+))?(?:, (\d+))?`)

// A thread that ends with its process, before strace has read its call, is a line without one.
var detached = regexp.MustCompile(`^\d+ +\?\?\?\( <detached \.\.\.>\s*$`)

// systemOps returns the operations on the ledger's file in a trace of strace.
func systemOps(t *testing.T, trace string) (ops []fileOp) {
	raw, err := os.ReadFile(trace)
	must(err)
	for line := range strings.Lines(string(raw)) {
		if strings.Contains(line, " resumed>") || detached.MatchString(line) {
			continue
		}
		m := straced.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("strange line %q", line)
		}
		a, _ := strconv.ParseInt(m[2], 10, 64)
		b, _ := strconv.ParseInt(m[3], 10, 64)
		switch m[1] {
		case "pwrite64":
			ops = append(ops, fileOp{files.Write, b, b + a})
		case "ftruncate":
			ops = append(ops, fileOp{files.Truncate, a, a})
		default:
			ops = append(ops, fileOp{files.Sync, 0, 0})
		}
	}
	return ops
}

// The recording machine gets the operations that bbolt really makes on its file: the same syncs and growth at the same
// places, and no write of a byte between them that bbolt does not write.
func TestAWatchedMachineIsAskedWhatBboltDoes(t *testing.T) {
	storetest.Slow(t)
	strace := storetest.Needs(t, "strace")
	grew := 0
	for _, grown := range []bool{false, true} {
		s := newStage(t, grown)
		for kind := range mutations {
			// bbolt iterates over maps, so its choice of pages differs from run to run.
			for try := 1; ; try++ {
				watched, real := commitTwice(t, strace, s, kind)
				why := differ(watched, real)
				if why != "" && try < 20 {
					continue
				}
				if why != "" {
					t.Errorf("%s, grown %v: %s\nwatched %v\nbbolt %v", kind, grown, why, watched, real)
				}
				grew += len(slices.DeleteFunc(real, func(o fileOp) bool { return o.kind != files.Truncate }))
				break
			}
		}
	}
	if grew == 0 {
		t.Error("no file grew")
	}
}

// commitTwice carries out a mutation on two copies of a stage: on a recording machine, and in a process under strace.
func commitTwice(t *testing.T, strace string, s stage, kind string) (watched, real []fileOp) {
	t.Helper()
	f := &Faults{Each: func(_ int, op files.Op) {
		if filepath.Base(op.Path) != "ledger.db" || op.Kind == files.Open {
			return
		}
		o := fileOp{kind: op.Kind}
		if op.Kind != files.Sync {
			o.from, o.to = op.At, op.At+int64(len(op.Data))
		}
		watched = append(watched, o)
	}}
	dir, l := s.copied(t, f)
	_, err := l.Apply(ctx, s.envelope(kind))
	must(err)
	must(l.Close())
	must(os.RemoveAll(dir))

	dir, l = s.copied(t, &Faults{})
	must(l.Close())
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := storetest.Command(t, "mutate", dir, kind, string(s.queued), string(s.focused), string(s.waiting), string(s.asking), string(s.child), string(s.ingress))
	cmd.Args = []string{strace, "-f", "-qq", "-s", "0", "--output=" + trace, "-e", "signal=none", "-e", "trace=pwrite64,ftruncate,fsync,fdatasync", "-P", filepath.Join(dir, "ledger.db"), cmd.Path}
	cmd.Path = strace
	if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Skipf("strace cannot trace here: %v, %s", err, out)
	}
	real = systemOps(t, trace)
	must(os.RemoveAll(dir))
	return watched, real
}

// differ returns the difference between the machine's operations and bbolt's own.
func differ(watched, real []fileOp) string {
	a, b := phases(watched), phases(real)
	if len(a) != len(b) {
		return fmt.Sprintf("%d phases and %d", len(a), len(b))
	}
	for i := range a {
		for _, o := range a[i] {
			inside := func(r fileOp) bool { return r.kind == o.kind && r.from <= o.from && o.to <= r.to }
			if !slices.ContainsFunc(b[i], inside) {
				return fmt.Sprintf("in phase %d bbolt does not %v", i, o)
			}
		}
		if len(a[i]) == 0 {
			return fmt.Sprintf("nothing in phase %d", i)
		}
	}
	return ""
}

// phases returns the operations between two syncs.
func phases(ops []fileOp) (out [][]fileOp) {
	var now []fileOp
	for _, o := range ops {
		if o.kind == files.Sync {
			out, now = append(out, now), nil
			continue
		}
		now = append(now, o)
	}
	if len(now) > 0 {
		out = append(out, now)
	}
	return out
}
