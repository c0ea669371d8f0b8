package screen

import (
	"encoding/json"
	"testing"

	"vise/model"
)

// Repeats stand once, as the newest of them; an offer is the same whichever attempt it is, and what
// differs in agent, item or words is no repeat.
func TestRepeatsAreFolded(t *testing.T) {
	entry := func(revision uint64, kind model.EventKind, item model.ItemID, data string) model.Entry {
		return model.Entry{Revision: revision, N: 1, AgentID: "ann", Kind: kind, WorkItemID: item, Data: json.RawMessage(data)}
	}
	got := Folded([]model.Entry{
		entry(7, model.EventTickEmitted, "a", `{"reason":"continue_active","attempt":3}`),
		entry(6, model.EventTickEmitted, "a", `{"reason":"continue_active","attempt":2}`),
		entry(5, model.EventTickEmitted, "b", `{"reason":"continue_active"}`),
		entry(4, model.EventWorkItemWritten, "b", `{"action":"blocked","blocked_by":"ops"}`),
		entry(3, model.EventWorkItemWritten, "b", `{"action":"unblocked"}`),
		entry(2, model.EventWorkItemWritten, "b", `{"action":"unblocked"}`),
	})
	var revisions []uint64
	for _, e := range got {
		revisions = append(revisions, e.Revision)
	}
	if want := []uint64{7, 5, 4, 3}; len(revisions) != len(want) || revisions[0] != 7 || revisions[3] != 3 {
		t.Errorf("folded to %v, want %v", revisions, want)
	}
	if got[0].Times != 2 || got[1].Times != 0 || got[2].Times != 0 || got[3].Times != 2 {
		t.Errorf("counted %+v", got)
	}
}
