package etcd

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vise/model"
	"vise/store"
)

var agents = []string{"a", "a-b", "ab", "b", "item"}

// drawKey draws a key of a table, of a form that the ledger uses.
func drawKey(t *rapid.T, name string) []byte {
	agent := rapid.SampledFrom(agents).Draw(t, "agent")
	id := rapid.SampledFrom([]string{"wi-1", "wi-1-2", "wi-12", "wt-1", "@a"}).Draw(t, "id")
	number := string(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, '/', '0', 0xff}), numberSize, numberSize).Draw(t, "number"))
	middle := map[string]string{tableInbox: "a/" + number + "/" + id, "done/": number + "/" + id, "journal/": number}
	rest := map[string]string{tableHead: "", "agent/": "", "log/": "/" + number, "index/": "/blocked/" + number + id,
		"due/": "/" + number + "/" + id + "/", "trail/": "/" + id + "/" + number}
	switch tab := tables[name]; {
	case tab.whole:
		return []byte(name + id)
	case tab.last:
		between, ok := middle[name]
		if !ok {
			between = id
		}
		return []byte(name + between + "/" + agent)
	default:
		after, ok := rest[name]
		if !ok {
			after = "/" + id + "/" + number + "/" + id
		}
		return []byte(name + agent + after)
	}
}

func TestEachKeyHasAPlaceOfItsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var keys [][]byte
		for range 2 {
			keys = append(keys, drawKey(t, rapid.SampledFrom(store.Tables).Draw(t, "table")))
		}
		for _, key := range keys {
			place := pathOf(key)
			if back := keyAt(place); !bytes.Equal(back, key) {
				t.Fatalf("%q is stored at %q, where %q is", key, place, back)
			}
			if got := partAt(place); got != store.PartOf(key) {
				t.Fatalf("%q is of the part %q, and at a place of %q", key, store.PartOf(key), got)
			}
		}
		if x, y := pathOf(keys[0]), pathOf(keys[1]); (x == y) != bytes.Equal(keys[0], keys[1]) {
			t.Fatalf("%q and %q are stored at %q and %q", keys[0], keys[1], x, y)
		}
	})
}

// A range of keys is in a part the places of one span, in order, and the span has at most two others.
func TestARangeIsOneSpanOfAPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(store.Tables).Draw(t, "table")
		tab := tables[name]
		if tab.whole {
			return
		}
		var keys [][]byte
		for range rapid.IntRange(1, 40).Draw(t, "keys") {
			keys = append(keys, drawKey(t, name))
		}
		slices.SortFunc(keys, bytes.Compare)
		keys = slices.CompactFunc(keys, bytes.Equal)
		bound := func(what string) []byte {
			k := rapid.SampledFrom(keys).Draw(t, what)
			switch rapid.IntRange(0, 3).Draw(t, what+" cut") {
			case 0:
				return append(slices.Clone(k), 0)
			case 1:
				return store.Prefix(k[:rapid.IntRange(len(name), len(k)).Draw(t, what+" length")]).To
			case 2:
				return k[:rapid.IntRange(len(name), len(k)).Draw(t, what+" length")]
			}
			return k
		}
		r := store.Range{From: bound("from"), To: bound("to")}
		for _, agent := range agents {
			part := model.AgentID(agent)
			s, ok := tab.within(part, r)
			var want, got []string
			extra := 0
			for _, k := range keys {
				place := pathOf(k)
				inside := ok && place >= s.from && place < s.to && partAt(place) == part
				switch wanted := r.Holds(k) && store.PartOf(k) == part; {
				case wanted:
					want = append(want, place)
					if inside {
						got = append(got, place)
					}
				case inside:
					extra++
				}
			}
			if !slices.Equal(want, got) || extra > 2 {
				t.Fatalf("%s, %q to %q in part %s: the span %q has %q, want %q, and %d others", name, r.From, r.To, part, s, got, want, extra)
			}
			if tab.newest {
				slices.Reverse(want)
			}
			if !slices.IsSorted(want) {
				t.Fatalf("%s: the places %q have another order than their keys", name, want)
			}
		}
	})
}
