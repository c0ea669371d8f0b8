package journal

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
func writeChanges(t testing.TB, j *Copy, first, last uint64, size int) {
	t.Helper()
	for n := first; n <= last; n++ {
		end, err := j.End()
		journalMust(t, err)
		f := Change{Revision: n, Values: []Value{{Part: "ada", Bytes: bytes.Repeat([]byte{byte(n)}, size)}, {Part: "bob", Bytes: []byte(fmt.Sprint(n))}}}
		journalMust(t, j.Append(end, AppendChange(nil, f)))
	}
}

func readRevisions(t testing.TB, j *Copy, after uint64) (out []uint64, damaged []string) {
	t.Helper()
	damaged, err := j.Read(after, func(f Change) error {
		if string(f.Values[1].Bytes) != fmt.Sprint(f.Revision) {
			t.Errorf("revision %d holds %q", f.Revision, f.Values[1].Bytes)
		}
		out = append(out, f.Revision)
		return nil
	})
	journalMust(t, err)
	return out, damaged
}

// A file is closed when it is long enough and archived when it is old enough, and can be read from its archive: nothing
// is missing.
func TestFilesAreClosedAndArchivedAndStillRead(t *testing.T) {
	now := time.Now()
	j := &Copy{Dir: filepath.Join(t.TempDir(), "journal"), Home: "h", Machine: &files.Machine{Clock: func() time.Time { return now }}}
	writeChanges(t, j, 1, 20, 1<<20)
	now = now.Add(31 * 24 * time.Hour)
	writeChanges(t, j, 21, 22, 10)
	files, err := j.Files()
	journalMust(t, err)
	if len(files) < 4 || !files[len(files)-1].Live {
		t.Errorf("got %+v", files)
	}
	journalMust(t, j.Compress(context.Background(), 7*24*time.Hour))
	archived, err := filepath.Glob(filepath.Join(j.Dir, "*"+compressedSuffix))
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
	j := &Copy{Dir: t.TempDir(), Home: "h"}
	writeChanges(t, j, 1, 30, 50)
	live := filepath.Join(j.Dir, "live.vj")
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
		end, err := j.End()
		if err != nil || end.Last.Revision != got[len(got)-1] && end.Last.Revision < got[0] {
			t.Fatalf("a bit at %d: it ends at %d, %v", at, end.Last.Revision, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(AppendChange(nil, Change{Revision: 1, Values: []Value{{Bytes: []byte("x")}}}))
	f.Add([]byte("vjfr\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		j := &Copy{Dir: t.TempDir(), Home: "h"}
		head := []byte("vise journal 2 home h after 0 begun 2026-01-02T03:04:05Z\n")
		journalMust(t, os.WriteFile(filepath.Join(j.Dir, "live.vj"), append(head, raw...), 0o600))
		_, err := j.Read(0, func(Change) error { return nil })
		journalMust(t, err)
		end, err := j.End()
		journalMust(t, err)
		journalMust(t, j.Append(end, AppendChange(nil, Change{Revision: end.Last.Revision + 1})))
		if again, err := j.End(); err != nil || again.torn || again.Last.Revision != end.Last.Revision+1 {
			t.Errorf("after %+v comes %+v, %v", end, again, err)
		}
	})
}
