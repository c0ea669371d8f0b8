package home

import (
	"testing"
	"time"

	"vise/model"
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
	h.EndSession("ann", "claude", "s1")
	live(1)
	last("s1", "wi-c")
	now = now.Add(9 * time.Minute)
	live(0)
	now = now.Add(31 * 24 * time.Hour)
	last("")
}

// TestASessionsStateIsWhatItsHooksAndItsProcessSay: since when, at what, and that it is gone when its process is.
func TestASessionsStateIsWhatItsHooksAndItsProcessSay(t *testing.T) {
	now := time.Date(2026, 11, 28, 10, 0, 0, 0, time.Local)
	h := SessionsIn(t.TempDir(), func() time.Time { return now })
	alive := map[int]bool{1: true}
	due := model.Decision{ModelReentry: true}
	check := func(want string) {
		t.Helper()
		s, _ := Live(h.Known(func(s Session) bool { return alive[s.Driver.PID] || alive[s.Process.PID] || s.ID == "s3" }), "ann")
		if got := string(s.State) + " " + s.Says(now, due); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	at := func(s Session) Session { s.Program, s.ID, s.Agent, s.At = "claude", "s1", "ann", now; return s }
	h.NoteSession(at(Session{State: SessionWorks, Process: model.Process{PID: 1}}))
	check("working working in a session of claude since 10:00:00")
	now = now.Add(time.Minute)
	h.NoteSession(at(Session{State: SessionWorks, Doing: "run go test"}))
	check("working working in a session of claude since 10:00:00: run go test")
	h.NoteSession(at(Session{State: SessionAsks, Doing: "run rm"}))
	check("asks asks for a permission in a session of claude since 10:01:00: run rm")
	now = now.Add(time.Hour)
	check("asks asks for a permission in a session of claude since 10:01:00: run rm")
	h.NoteSession(at(Session{State: SessionRests}))
	check("idle is idle in a session of claude since 11:01:00")
	alive[1] = false
	check("gone is gone since 11:01:00: its session of claude has ended; vise run ann opens it again")
	due = model.Decision{} // the agent waits for something, which is said
	check("gone ")
	h.Put(Session{Program: "codex", ID: "s2", Agent: "ann", Since: now, State: SessionRests, Driver: model.Process{PID: 2}})
	alive[2] = true
	check("idle ") // its driver begins the next turn
	now = now.Add(time.Second)
	h.NoteSession(Session{Program: "gemini", ID: "s3", Agent: "ann", At: now, State: SessionWorks})
	check("working working in a session of gemini since 11:01:01, as its hooks told")
	if s, _ := h.LastSession("ann"); s.ID != "s3" {
		t.Errorf("the last session is %s", s.ID)
	}
	now = now.Add(worksFor)
	h.NoteSession(Session{Program: "gemini", ID: "s3", Agent: "ann", At: now, State: SessionWorks, Tmux: "sock", Pane: "%1", Runs: "wrapper"})
	now = now.Add(worksFor + time.Second)
	check("working working in a session of gemini since 11:01:01, as its hooks told") // its pane is asked
	h.NoteSession(Session{Program: "gemini", ID: "s3", Agent: "ann", At: now, State: SessionWorks})
	now = now.Add(worksFor + time.Second)
	check("idle ")
}
