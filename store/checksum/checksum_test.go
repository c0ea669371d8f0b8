package checksum

import (
	"hash/crc32"
	"testing"

	"pgregory.net/rapid"
)

func TestBothWaysAreCRC32C(t *testing.T) {
	table := crc32.MakeTable(crc32.Castagnoli)
	check := func(t *rapid.T) {
		a, b := rapid.SliceOf(rapid.Byte()).Draw(t, "a"), rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "b")
		want := crc32.Update(crc32.Checksum(a, table), table, b)
		if got := Of(a, b); got != want {
			t.Fatalf("%08x, not %08x", got, want)
		}
		if got := slow(slow(0, a), b); got != want {
			t.Fatalf("by the small tables %08x, not %08x", got, want)
		}
	}
	summed.Store(0)
	rapid.Check(t, check)
	summed.Store(enough)
	rapid.Check(t, check)
}

func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		makeTables()
	}
}
