package store

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vise/model"
	"vise/store/kv"
)

func drawTime(t *rapid.T, label string) time.Time {
	if rapid.Bool().Draw(t, label+" is zero") {
		return time.Time{}
	}
	return time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, label), rapid.Int64Range(0, 999_999_999).Draw(t, label+" ns")).UTC()
}

func drawRow(t *rapid.T) model.Row {
	text := func(label string) model.Text { return model.Text(rapid.String().Draw(t, label)) }
	return model.Row{
		ID: "wi-1", Handle: "wi-abcd", AgentID: "ada", Revision: rapid.Uint64().Draw(t, "revision"), Objective: text("objective"),
		Class: model.BlockedClass, Scheduling: model.WaitingTimer, ReasonCode: "x", IsCurrent: rapid.Bool().Draw(t, "current"),
		NeedsOperator: rapid.Bool().Draw(t, "needs"), PlanStatus: model.Draft, BlockedBy: text("blocker"),
		Todo:      model.TodoGist{Done: rapid.IntRange(0, 200).Draw(t, "done"), Total: 200, Current: text("todo")},
		Wait:      model.WaitGist{Kind: model.WaitTimer, Source: text("source"), Question: text("question"), WakeAt: drawTime(t, "wake"), LastTriggeredAt: drawTime(t, "heard"), TriggeredBy: text("by"), Checked: text("checked")},
		RecheckAt: drawTime(t, "recheck"), Reported: rapid.Bool().Draw(t, "reported"), CreatedAt: drawTime(t, "created"), UpdatedAt: drawTime(t, "updated"),
	}
}

func TestARowReadsAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawRow(t)
		raw := encodeRow(want)
		got, err := decodeRow[model.Row](nil, kv.Frame(nil, slices.Clip(raw)))
		if err != nil || got != want {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
		}
		if n := rapid.IntRange(0, len(raw)-1).Draw(t, "cut"); n < len(raw) {
			if _, err := decodeRow[model.Row](nil, kv.Frame(nil, slices.Clip(raw[:n]))); err == nil {
				t.Fatalf("%d of %d bytes read as a row", n, len(raw))
			}
		}
	})
}

func FuzzDecodeRow(f *testing.F) {
	f.Add([]byte{})
	f.Add(encodeRow(model.Row{ID: "wi-1", Class: model.QueuedRunnable}))
	f.Fuzz(func(t *testing.T, raw []byte) { decodeRow[model.Row](nil, kv.Frame(nil, slices.Clip(raw))) })
}

func TestKeysSortByTimeAndNumber(t *testing.T) {
	times := []time.Time{
		time.Date(-5000, 1, 1, 0, 0, 0, 0, time.UTC), {}, time.Unix(-1, 0), time.Unix(0, 0), time.Unix(0, 1),
		time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, math.MaxInt64), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	var keys []string
	for _, at := range times {
		keys = append(keys, instant(at))
	}
	if !slices.IsSorted(keys) {
		t.Errorf("%q", keys)
	}
	changes := []struct {
		revision uint64
		part     model.AgentID
	}{{0, "a"}, {1, "a"}, {1, "b"}, {47, "a"}, {255, "b"}, {256, "a"}}
	for i, c := range changes {
		key := JournalKey(c.revision, c.part)
		if revision, part := ChangeIn(key); revision != c.revision || part != c.part {
			t.Errorf("%v reads as %d of %s", c, revision, part)
		}
		if i > 0 && bytes.Compare(JournalKey(changes[i-1].revision, changes[i-1].part), key) >= 0 {
			t.Errorf("%v sorts before %v", c, changes[i-1])
		}
	}
}

func TestAValueBelongsToItsKey(t *testing.T) {
	value := kv.Frame([]byte("item/a"), []byte(`{"id":"a"}`))
	if _, err := kv.Unframe([]byte("item/a"), value); err != nil {
		t.Error(err)
	}
	if _, err := kv.Unframe([]byte("item/b"), value); err == nil {
		t.Error("it reads under another key")
	}
	for i := range value {
		for bit := range 8 {
			bad := bytes.Clone(value)
			bad[i] ^= 1 << bit
			if _, err := kv.Unframe([]byte("item/a"), bad); err == nil {
				t.Errorf("a flipped bit in byte %d was not noticed", i)
			}
		}
	}
}
