package agents

import (
	"fmt"
	"testing"

	"vise/model/thread"
	"vise/store/threads"
)

// TestTheEndOfASessionLeavesItsThreadPaused, with its content, and makes none elsewhere.
func TestTheEndOfASessionLeavesItsThreadPaused(t *testing.T) {
	b := newHookBench(t)
	repo, desk := repository(t)
	end := fmt.Sprintf(`{"session_id":"s1","cwd":%q,"hook_event_name":"SessionEnd","reason":"other"}`, repo.Dir)
	b.must(end, "claude", "SessionEnd")
	if card := repo.Card(t.Context(), nil); card.Thread != nil {
		t.Fatalf("a thread was made: %+v", card.Thread)
	}
	apply(t, desk, thread.Start{Goal: "Fix login"})
	b.must(end, "claude", "SessionEnd")
	snap, err := threads.At(repo.Dir).Read()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	list, err := snap.Threads()
	if err != nil || len(list) != 1 || list[0].Status != thread.Paused || list[0].Goal != "Fix login" {
		t.Errorf("left %+v, %v", list, err)
	}
}
