package model

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// The place of a plan follows from its item: a stored record leaves it out, and has it again when it is read.
func TestTheStoredItemLeavesOutWhereItsPlanIs(t *testing.T) {
	w := WorkItem{ID: "wi-1", AgentID: "ann", State: Open,
		PlanArtifact: NewPlanArtifact("ann", "wi-1", []byte("# Steps"), time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC))}
	raw, err := WriteRecord(w)
	if err != nil || strings.Contains(string(raw), "plan.md") || strings.Contains(string(raw), "agent_home") {
		t.Errorf("stored %s, %v", raw, err)
	}
	if read, err := ReadRecord(KindItem, raw); err != nil || !reflect.DeepEqual(read, Record(w)) {
		t.Errorf("read %+v, %v; want %+v", read, err, w)
	}
}
