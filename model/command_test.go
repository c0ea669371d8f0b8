package model

import (
	"encoding/json"
	"testing"
)

// A call is written as it is read: by the name of its tool.
func TestACallIsWrittenAsItIsRead(t *testing.T) {
	raw, err := json.Marshal(Call{PickWorkItem{WorkItemID: "wi-1", Reason: "next"}})
	if want := `{"tool":"PickWorkItem","input":{"work_item_id":"wi-1","reason":"next"}}`; err != nil || string(raw) != want {
		t.Fatalf("got %s, %v, want %s", raw, err, want)
	}
	var back Call
	if err := json.Unmarshal(raw, &back); err != nil || back.Command != Command(PickWorkItem{WorkItemID: "wi-1", Reason: "next"}) {
		t.Errorf("got %+v, %v", back, err)
	}
}
