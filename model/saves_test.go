package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"
)

// saves returns the saves of an item.
func (s *script) saves(id ItemID) string {
	w, _ := s.book.Item(id)
	var b strings.Builder
	for _, x := range PlanSaves(w, s.book.Entries(id, 1000)) {
		fmt.Fprintf(&b, "%d %s %s %.12s revision %d\n", x.N, x.At.Format("15:04"), x.Actor, x.Hash, x.Revision)
	}
	return b.String()
}

// surplus returns which of so many saves are removed, if each has so many bytes.
func surplus(t *testing.T, d *datadriven.TestData) string {
	var n, each int
	d.ScanArgs(t, "saves", &n)
	d.ScanArgs(t, "bytes", &each)
	saves, sizes := savesOf(n, func(int) int64 { return int64(each) })
	gone := SurplusSaves(saves, sizes)
	var stay []string
	for i := 0; i < n; i++ {
		first := i
		for i < n && !slices.Contains(gone, saves[i].Hash) {
			i++
		}
		switch {
		case i > first+1:
			stay = append(stay, fmt.Sprintf("%d-%d", first+1, i))
		case i > first:
			stay = append(stay, fmt.Sprint(first+1))
		}
	}
	return fmt.Sprintf("%d stay: %s\n", n-len(gone), strings.Join(stay, " "))
}

// savesOf returns n saves with different contents.
func savesOf(n int, size func(int) int64) ([]PlanSave, map[string]int64) {
	sizes := map[string]int64{}
	var saves []PlanSave
	for i := range n {
		s := PlanSave{N: i + 1, At: time.Unix(int64(60*i), 0), Hash: fmt.Sprint("hash ", i+1)}
		saves = append(saves, s)
		sizes[s.Hash] = size(i)
	}
	return saves, sizes
}

// The kept saves are within the bounds, the newest one is among them, and a second run removes nothing.
func TestKeptSavesStayWithinTheirBounds(t *testing.T) {
	slow(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 900).Draw(t, "saves")
		most := rapid.SampledFrom([]int64{1 << 10, 100 << 10, MaxPlanSaveBytes}).Draw(t, "most bytes")
		sizes := rapid.SliceOfN(rapid.Int64Range(1, most), n, n).Draw(t, "sizes")
		saves, kept := savesOf(n, func(i int) int64 { return sizes[i] })
		strays := rapid.IntRange(0, 300).Draw(t, "strays")
		for i := range strays {
			kept[fmt.Sprint("stray ", i)] = 1
		}
		gone := SurplusSaves(saves, kept)
		for _, hash := range gone {
			if _, ok := kept[hash]; !ok {
				t.Fatalf("%s goes and is not kept", hash)
			}
			delete(kept, hash)
		}
		var bytes int64
		for _, size := range kept {
			bytes += size
		}
		if len(kept) > MaxPlanSaves || bytes > MaxPlanSaveBytes {
			t.Fatalf("%d stay with %d bytes", len(kept), bytes)
		}
		if _, ok := kept[saves[n-1].Hash]; !ok {
			t.Fatal("the newest goes")
		}
		if again := SurplusSaves(saves, kept); len(again) > 0 {
			t.Fatalf("%d more go the second time", len(again))
		}
		if most == 1<<10 && len(kept) < min(n, MaxPlanSaves/2) {
			t.Fatalf("only %d of %d stay", len(kept), n)
		}
	})
}

func TestTheSaveAtATimeIsTheLastOneByThen(t *testing.T) {
	saves, _ := savesOf(3, func(int) int64 { return 1 })
	for second, want := range map[int64]int{-1: 0, 0: 1, 59: 1, 60: 2, 1000: 3} {
		got, ok := SaveAt(saves, time.Unix(second, 0))
		if got.N != want || ok != (want > 0) {
			t.Errorf("at %d it is save %d, not %d", second, got.N, want)
		}
	}
}
