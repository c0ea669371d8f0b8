package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vise/model"
)

// shared is the directory of the studies and fixtures beside a checkout.
func sharedHolon(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("VISE_SHARED")
	if dir == "" {
		dir = "../../../shared"
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no shared fixtures: ", err)
	}
	return dir
}

// Holon's own scheduler fixtures say how many items are queued and which one is current.
func TestHolonsFixturesReadAsTheyExpect(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join(sharedHolon(t), "fixtures/holon/scheduler_*/*"))
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	read := 0
	for _, dir := range cases {
		t.Run(filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir), func(t *testing.T) {
			read++
			l, err := readHolon(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(filepath.Join(dir, "expected.json"))
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				Current  *model.ItemID     `json:"current_work_item_id"`
				Queued   int               `json:"queued_work_items"`
				Tasks    int               `json:"active_tasks"`
				Blocking bool              `json:"has_blocking_active_tasks"`
				Waits    int               `json:"active_waiting_intents"`
				Timers   int               `json:"active_timers"`
				Hint     bool              `json:"pending_wake_hint"`
				Replay   []model.MessageID `json:"replay_message_ids"`
			}
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			queued, focus := holonQueue(l)
			if queued != want.Queued || want.Current != nil && focus != *want.Current || want.Current == nil && focus != "" {
				t.Errorf("%d queued, current %q; want %d, %v", queued, focus, want.Queued, want.Current)
			}
			c := l.Counts
			if c.Running != want.Tasks || c.Waits-c.Timers != want.Waits || c.Timers != want.Timers || len(l.Agents) != 1 {
				t.Errorf("%d agents with %+v; want %+v", len(l.Agents), c, want)
			}
			a := l.Agents[0]
			isHint := func(m model.Message) bool { return strings.HasPrefix(string(m.ID), "hint-") }
			hint := slices.ContainsFunc(a.Messages, isHint)
			var replay []model.MessageID
			for _, m := range slices.DeleteFunc(a.Messages, isHint) {
				replay = append(replay, m.ID)
			}
			blocking := slices.ContainsFunc(a.Tasks, func(t model.Task) bool { return t.Blocking })
			if hint != want.Hint || !slices.Equal(replay, want.Replay) || blocking != want.Blocking {
				t.Errorf("a hint: %v, messages %v, blocking %v; want %+v", hint, replay, blocking, want)
			}
		})
	}
	if read == 0 {
		t.Error("no case was read")
	}
}

func holonQueue(l holonLedger) (queued int, focus model.ItemID) {
	for _, a := range l.Agents {
		focus = a.Focus
		for _, in := range a.Items {
			var waits []model.Wait
			for _, x := range a.Waits {
				if x.WorkItemID == in.Item.ID {
					waits = append(waits, x)
				}
			}
			if model.Derive(in.Item, waits, in.Item.ID == a.Focus).Class == model.QueuedRunnable {
				queued++
			}
		}
	}
	return queued, focus
}
