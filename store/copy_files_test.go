package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vise/store/files"
)

func journalMust(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// writeChanges appends the changes of revisions first to last.
func writeChanges(t testing.TB, j *journalCopy, first, last uint64, size int) {
	t.Helper()
	for n := first; n <= last; n++ {
		end, err := j.end()
		journalMust(t, err)
		f := copiedChange{revision: n, values: []copiedValue{{part: "ada", bytes: bytes.Repeat([]byte{byte(n)}, size)}, {part: "bob", bytes: []byte(fmt.Sprint(n))}}}
		journalMust(t, j.append(end, appendChange(nil, f)))
	}
}

func readRevisions(t testing.TB, j *journalCopy, after uint64) (out []uint64, damaged []string) {
	t.Helper()
	damaged, err := j.read(after, func(f copiedChange) error {
		if string(f.values[1].bytes) != fmt.Sprint(f.revision) {
			t.Errorf("revision %d holds %q", f.revision, f.values[1].bytes)
		}
		out = append(out, f.revision)
		return nil
	})
	journalMust(t, err)
	return out, damaged
}

// A file is closed when it is long enough and archived when it is old enough, and can be read from its archive: nothing
// is missing.
func TestFilesAreClosedAndArchivedAndStillRead(t *testing.T) {
	now := time.Now()
	j := &journalCopy{dir: filepath.Join(t.TempDir(), "journal"), home: "h", machine: &files.Machine{Clock: func() time.Time { return now }}}
	writeChanges(t, j, 1, 20, 1<<20)
	now = now.Add(31 * 24 * time.Hour)
	writeChanges(t, j, 21, 22, 10)
	files, err := j.files()
	journalMust(t, err)
	if len(files) < 4 || !files[len(files)-1].live {
		t.Errorf("got %+v", files)
	}
	journalMust(t, j.archive(context.Background(), 7*24*time.Hour))
	archived, err := filepath.Glob(filepath.Join(j.dir, "*"+archiveSuffix))
	if err != nil || len(archived) != len(files)-1 {
		t.Errorf("%d archived, %v", len(archived), err)
	}
	for after := range uint64(22) {
		got, damaged := readRevisions(t, j, after)
		if len(got) != int(22-after) || got[0] != after+1 || len(damaged) > 0 {
			t.Errorf("after %d: %v, %v", after, got, damaged)
		}
	}
}

// After any single damage to a file, the changes outside of it are read, everything that is read is right, and the
// damage is named unless it is a torn end.
func TestDamageCostsWhatItTouches(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	j := &journalCopy{dir: t.TempDir(), home: "h"}
	writeChanges(t, j, 1, 30, 50)
	live := filepath.Join(j.dir, "live.vj")
	sound, err := os.ReadFile(live)
	journalMust(t, err)
	header := bytes.IndexByte(sound, '\n') + 1
	for range 500 {
		raw := bytes.Clone(sound)
		at := header + rng.IntN(len(raw)-header)
		raw[at] ^= 1 << rng.IntN(8)
		journalMust(t, os.WriteFile(live, raw, 0o600))
		got, damaged := readRevisions(t, j, 0)
		if len(got) < 29 || len(got) == 30 {
			t.Fatalf("a bit at %d of %d leaves %v", at, len(raw), got)
		}
		if last := got[len(got)-1]; last == 30 && len(damaged) == 0 {
			t.Fatalf("a bit at %d is not named", at)
		}
		end, err := j.end()
		if err != nil || end.last.revision != got[len(got)-1] && end.last.revision < got[0] {
			t.Fatalf("a bit at %d: it ends at %d, %v", at, end.last.revision, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(appendChange(nil, copiedChange{revision: 1, values: []copiedValue{{bytes: []byte("x")}}}))
	f.Add([]byte("vjfr\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		j := &journalCopy{dir: t.TempDir(), home: "h"}
		head := []byte("vise journal 2 home h after 0 begun 2026-01-02T03:04:05Z\n")
		journalMust(t, os.WriteFile(filepath.Join(j.dir, "live.vj"), append(head, raw...), 0o600))
		_, err := j.read(0, func(copiedChange) error { return nil })
		journalMust(t, err)
		end, err := j.end()
		journalMust(t, err)
		journalMust(t, j.append(end, appendChange(nil, copiedChange{revision: end.last.revision + 1})))
		if again, err := j.end(); err != nil || again.torn || again.last.revision != end.last.revision+1 {
			t.Errorf("after %+v comes %+v, %v", end, again, err)
		}
	})
}
