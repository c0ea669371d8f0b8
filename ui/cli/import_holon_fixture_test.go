package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
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
			l, err := readHolon(t.Context(), fixtureHome(t, dir))
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
			var replay []model.MessageID
			for _, m := range a.Messages {
				replay = append(replay, m.ID)
			}
			blocking := slices.ContainsFunc(a.Tasks, func(t model.Task) bool { return t.Blocking })
			if !slices.Equal(replay, want.Replay) || blocking != want.Blocking {
				t.Errorf("messages %v, blocking %v; want %+v", replay, blocking, want)
			}
		})
	}
	if read == 0 {
		t.Error("no case was read")
	}
}

// fixtureHome is an agent's directory with the files of a fixture, which has agent.json beside the ledger.
func fixtureHome(t *testing.T, dir string) string {
	t.Helper()
	home := t.TempDir()
	state, err := os.ReadFile(filepath.Join(dir, "agent.json"))
	for _, sub := range []string{"state", "ledger"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(home, sub), 0o700))
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(home, "state/agent.json"), state, 0o600))
	if _, none := os.Stat(filepath.Join(dir, "ledger")); none == nil {
		err = errors.Join(err, os.CopyFS(filepath.Join(home, "ledger"), os.DirFS(filepath.Join(dir, "ledger"))))
	}
	if err != nil {
		t.Fatal(err)
	}
	return home
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
