package home

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/store/files"
)

// Session is a session of an agent's program, as its hooks describe it. It is a small file in the home. The file's time is when a hook last
// reported the session.
type Session struct {
	Program string        `json:"program"`
	ID      string        `json:"session_id"`
	Agent   model.AgentID `json:"agent_id"`
	// Dir is the session's directory. Programs find an earlier session only in its own directory.
	Dir string `json:"dir,omitempty"`
	// Tmux is the socket of the session's tmux server, and Pane its pane there.
	Tmux string `json:"tmux,omitempty"`
	Pane string `json:"pane,omitempty"`
	// Transcript is the file into which the program writes the conversation.
	Transcript string `json:"transcript,omitempty"`
	// At is when the session was last prompted or last used a vise tool.
	At time.Time `json:"at,omitzero"`
	// State is empty if the session has begun no turn or has ended.
	State SessionState `json:"state,omitempty"`
	// Item is the item that the session picked last, unless another session of the agent has picked it since.
	Item model.ItemID `json:"work_item_id,omitempty"`
	// WorkedOn are the items that the session named last, by the name that it used, newest first.
	WorkedOn []Named `json:"worked_on,omitempty"`
}

// Named is an item as a session named it, and when.
type Named struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
}

// SessionState is what a session does now.
type SessionState string

const (
	// SessionWorks: a turn of the session runs.
	SessionWorks SessionState = "works"
	// SessionRests: its turn has ended, and a process waits for its next one.
	SessionRests SessionState = "rests"
)

const (
	// worksFor is how long a session without news counts as working. A tool can take long, or the program was killed.
	worksFor = 10 * time.Minute
	// restsFor is the same for an idle session. The process that waits for it reports it every RestsEvery.
	restsFor   = 2 * time.Minute
	RestsEvery = 30 * time.Second
	// sessionAge is how long a session without news is kept.
	sessionAge = 30 * 24 * time.Hour
	// maxSession bounds a file, in bytes, and maxNamed the items in it.
	maxSession = 64 << 10
	maxNamed   = 200
)

func (h *Home) sessionsDir() string { return filepath.Join(h.Dir(), "state", "hooks", "of-sessions") }

func (h *Home) sessionFile(program, id string) string {
	return filepath.Join(h.sessionsDir(), model.Hash(program, id)[:16]+".json")
}

// NoteSession keeps the news of a session. Fields that are empty stay as they were. A failure is ignored.
func (h *Home) NoteSession(s Session) {
	path := h.sessionFile(s.Program, s.ID)
	was, raw := readSession(path)
	if s.At.IsZero() {
		s.Dir, s.Tmux, s.Pane, s.Transcript, s.At = was.Dir, was.Tmux, was.Pane, was.Transcript, was.At
	}
	s.State, s.Item = cmp.Or(s.State, was.State), cmp.Or(s.Item, was.Item)
	for _, n := range was.WorkedOn {
		if len(s.WorkedOn) < maxNamed && !slices.ContainsFunc(s.WorkedOn, func(x Named) bool { return x.Name == n.Name }) {
			s.WorkedOn = append(s.WorkedOn, n)
		}
	}
	if s.Item != was.Item {
		for _, x := range h.LiveSessions(s.Agent) {
			if x.Item == s.Item && x.ID != s.ID {
				x.Item = ""
				h.writeSession(x)
			}
		}
	}
	if now, _ := json.Marshal(s); !bytes.Equal(now, raw) { // strings and times marshal
		h.writeSession(s)
		return
	}
	h.touchSession(path)
}

// StillRests notes that a process still waits for an idle session.
func (h *Home) StillRests(program, id string) { h.touchSession(h.sessionFile(program, id)) }

// EndSession notes that a session has ended: it holds no item and has no state.
func (h *Home) EndSession(program, id string) {
	if s, _ := readSession(h.sessionFile(program, id)); s.ID != "" {
		s.State, s.Item = "", ""
		h.writeSession(s)
	}
}

// LiveSessions returns the agent's sessions that work, or that are idle with a process waiting, as far as hooks reported.
func (h *Home) LiveSessions(agent model.AgentID) (out []Session) {
	h.eachSession(worksFor, func(s Session, age time.Duration) {
		if s.Agent == agent && (s.State == SessionWorks || s.State == SessionRests && age < restsFor) {
			out = append(out, s)
		}
	})
	return out
}

// HeldElsewhere returns the items that the agent's other sessions hold.
func (h *Home) HeldElsewhere(agent model.AgentID, isOwn func(Session) bool) (out []model.ItemID) {
	for _, s := range h.LiveSessions(agent) {
		if s.Item != "" && !isOwn(s) {
			out = append(out, s.Item)
		}
	}
	return out
}

// LastSession returns the agent's session that worked last on the item with these names, or else its last session.
func (h *Home) LastSession(agent model.AgentID, names ...string) (last Session, ok bool) {
	var named bool
	var at time.Time
	h.eachSession(sessionAge, func(s Session, _ time.Duration) {
		if s.Agent != agent || s.At.IsZero() {
			return
		}
		i := slices.IndexFunc(s.WorkedOn, func(n Named) bool { return slices.Contains(names, n.Name) })
		switch {
		case i >= 0 && (!named || s.WorkedOn[i].At.After(at)):
			last, named, at = s, true, s.WorkedOn[i].At
		case i < 0 && !named && s.At.After(at):
			last, at = s, s.At
		}
	})
	return last, last.ID != ""
}

// eachSession visits the sessions with news in the last within, and removes the files of old ones.
func (h *Home) eachSession(within time.Duration, visit func(s Session, age time.Duration)) {
	h.eachFile(h.sessionsDir(), sessionAge, func(path string, age time.Duration) {
		if age > within {
			return
		}
		if s, _ := readSession(path); s.ID != "" {
			visit(s, age)
		}
	})
}

// eachFile visits the files of a directory with their ages, and removes those that are older than longest.
func (h *Home) eachFile(dir string, longest time.Duration, visit func(path string, age time.Duration)) {
	list, _ := files.ReadDir(dir)
	for _, x := range list {
		path := filepath.Join(dir, x.Name())
		info, err := x.Info()
		if err != nil {
			continue
		}
		if age := h.o.Now().Sub(info.ModTime()); age <= longest {
			visit(path, age)
		} else {
			_ = os.Remove(path)
		}
	}
}

// readSession reads a session's file and returns its bytes too. The session is zero if the file is missing or cannot be read.
func readSession(path string) (s Session, raw []byte) {
	raw, err := files.ReadSmall(path, maxSession)
	if err != nil || json.Unmarshal(raw, &s) != nil {
		return Session{}, nil
	}
	return s, raw
}

// writeSession keeps a session. A failure is ignored.
func (h *Home) writeSession(s Session) {
	raw, err := json.Marshal(s)
	if err == nil && os.MkdirAll(h.sessionsDir(), 0o700) == nil {
		path := h.sessionFile(s.Program, s.ID)
		_ = files.WriteAtomic(path, raw)
		h.touchSession(path)
	}
}

// touchSession sets the time of a session's last news to now.
func (h *Home) touchSession(path string) {
	_ = os.Chtimes(path, time.Time{}, h.o.Now()) // a missing file needs no time
}
