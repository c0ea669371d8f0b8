package store_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vise/store"
	"vise/store/files"
)

func journalMust(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write appends the frames of revisions first to last.
func write(t testing.TB, j *store.Journal, first, last uint64, size int) {
	t.Helper()
	for n := first; n <= last; n++ {
		end, err := j.End()
		journalMust(t, err)
		f := store.Frame{Revision: n, Values: []store.Value{{N: 0, Bytes: bytes.Repeat([]byte{byte(n)}, size)}, {N: 1, Bytes: []byte(fmt.Sprint(n))}}}
		journalMust(t, j.Append(end, store.Append(nil, f)))
	}
}

func revisions(t testing.TB, j *store.Journal, after uint64) (out []uint64, damaged []string) {
	t.Helper()
	damaged, err := j.Read(after, func(f store.Frame) error {
		if string(f.Values[1].Bytes) != fmt.Sprint(f.Revision) {
			t.Errorf("revision %d holds %q", f.Revision, f.Values[1].Bytes)
		}
		out = append(out, f.Revision)
		return nil
	})
	journalMust(t, err)
	return out, damaged
}

// A file is closed when it is long enough, archived when it is old enough, and read on from
// its archive: nothing goes missing on the way.
func TestFilesAreClosedAndArchivedAndStillRead(t *testing.T) {
	now := time.Now()
	j := &store.Journal{Dir: filepath.Join(t.TempDir(), "journal"), Home: "h", Machine: &files.Machine{Clock: func() time.Time { return now }}}
	write(t, j, 1, 20, 1<<20)
	now = now.Add(31 * 24 * time.Hour)
	write(t, j, 21, 22, 10)
	files, err := j.Files()
	journalMust(t, err)
	if len(files) < 4 || !files[len(files)-1].Live {
		t.Errorf("got %+v", files)
	}
	n, err := j.Archive(7 * 24 * time.Hour)
	if err != nil || n != len(files)-1 {
		t.Errorf("%d archived, %v", n, err)
	}
	for after := range uint64(22) {
		got, damaged := revisions(t, j, after)
		if len(got) != int(22-after) || got[0] != after+1 || len(damaged) > 0 {
			t.Errorf("after %d: %v, %v", after, got, damaged)
		}
	}
}

// Whatever one damage does to a file, the frames it does not touch are read, what is read
// is right, and the damage is named unless it is a torn end.
func TestDamageCostsWhatItTouches(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	j := &store.Journal{Dir: t.TempDir(), Home: "h"}
	write(t, j, 1, 30, 50)
	live := filepath.Join(j.Dir, "live.vj")
	sound, err := os.ReadFile(live)
	journalMust(t, err)
	header := bytes.IndexByte(sound, '\n') + 1
	for range 500 {
		raw := bytes.Clone(sound)
		at := header + rng.IntN(len(raw)-header)
		raw[at] ^= 1 << rng.IntN(8)
		journalMust(t, os.WriteFile(live, raw, 0o600))
		got, damaged := revisions(t, j, 0)
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
	f.Add(store.Append(nil, store.Frame{Revision: 1, Values: []store.Value{{Bytes: []byte("x")}}}))
	f.Add([]byte("vjfr\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		j := &store.Journal{Dir: t.TempDir(), Home: "h"}
		head := []byte("vise journal 1 home h after 0 begun 2026-01-02T03:04:05Z\n")
		journalMust(t, os.WriteFile(filepath.Join(j.Dir, "live.vj"), append(head, raw...), 0o600))
		_, err := j.Read(0, func(store.Frame) error { return nil })
		journalMust(t, err)
		end, err := j.End()
		journalMust(t, err)
		journalMust(t, j.Append(end, store.Append(nil, store.Frame{Revision: end.Last.Revision + 1})))
		if again, err := j.End(); err != nil || again.Torn || again.Last.Revision != end.Last.Revision+1 {
			t.Errorf("after %+v comes %+v, %v", end, again, err)
		}
	})
}
