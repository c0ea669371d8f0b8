package home

import (
	"testing"
	"time"
)

// TestASessionIsKnownAfterItsEnd, for 30 days: by the items that it named, or else as the agent's last one. While it
// runs, its item is known, and whether it works.
func TestASessionIsKnownAfterItsEnd(t *testing.T) {
	now := time.Now()
	h, _, err := OpenOrCreate(t.TempDir(), Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	note := func(id, item string, state SessionState) {
		now = now.Add(time.Minute)
		s := Session{Program: "claude", ID: id, Agent: "ann", At: now, Dir: "/" + id, State: state}
		if item != "" {
			s.WorkedOn = []Named{{item, now}}
		}
		h.NoteSession(s)
	}
	last := func(want string, names ...string) {
		t.Helper()
		if s, ok := h.LastSession("ann", names...); ok != (want != "") || s.ID != want || ok && s.Dir != "/"+want {
			t.Errorf("the last session of %q is %q, want %q", names, s.ID, want)
		}
	}
	live := func(want int) {
		t.Helper()
		if list := h.LiveSessions("ann"); len(list) != want {
			t.Errorf("%d sessions live, want %d: %v", len(list), want, list)
		}
	}
	last("")
	note("s1", "wi-a", SessionWorks)
	note("s2", "wi-b", SessionWorks)
	note("s2", "wi-a", "")
	note("s1", "wi-c", "")
	h.NoteSession(Session{Program: "claude", ID: "s2", Agent: "ann", State: SessionRests})
	last("s2", "wi-a")
	last("s2", "wi-b", "the handle of b")
	last("s1")
	last("s1", "wi-unknown")
	live(2)
	h.EndSession("claude", "s1")
	live(1)
	last("s1", "wi-c")
	now = now.Add(9 * time.Minute)
	live(0)
	now = now.Add(31 * 24 * time.Hour)
	last("")
}
