package home

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/store/files"
)

// Session is a session of an agent's program, as its hooks tell of it. It is a small file in the home, whose
// time is when the session was last heard of.
type Session struct {
	Program string        `json:"program"`
	ID      string        `json:"session_id"`
	Agent   model.AgentID `json:"agent_id"`
	// Dir is where it runs: programs find a session again in its directory alone.
	Dir string `json:"dir,omitempty"`
	// Tmux is the socket of the tmux server that it was in, and Pane its pane there.
	Tmux string `json:"tmux,omitempty"`
	Pane string `json:"pane,omitempty"`
	// Transcript is the file that its program writes what is said into.
	Transcript string `json:"transcript,omitempty"`
	// At is when it was last prompted, or used a tool of ours.
	At time.Time `json:"at,omitzero"`
	// State is empty for one that has not begun a turn, or has ended.
	State SessionState `json:"state,omitempty"`
	// Item is the one that it picked last, unless another session of the agent has picked it since.
	Item model.ItemID `json:"work_item_id,omitempty"`
	// WorkedOn are the items that it named last, by the name that it used, newest first.
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
	// SessionWorks: a turn of its runs.
	SessionWorks SessionState = "works"
	// SessionRests: its turn has ended, and it is waited for.
	SessionRests SessionState = "rests"
)

const (
	// worksFor is how long a session is taken to work that nothing was heard of: a tool may take long. The
	// program may have been killed instead.
	worksFor = 10 * time.Minute
	// restsFor is the same for one that rests: who waits for it tells of it every RestsEvery.
	restsFor   = 2 * time.Minute
	RestsEvery = 30 * time.Second
	// sessionAge is after how long one is forgotten.
	sessionAge = 30 * 24 * time.Hour
	// maxSession bounds a file, in bytes, and maxNamed the items in it.
	maxSession = 64 << 10
	maxNamed   = 200
)

func (h *Home) sessionsDir() string { return filepath.Join(h.Dir(), "state", "hooks", "of-sessions") }

func (h *Home) sessionFile(program, id string) string {
	sum := sha256.Sum256([]byte(program + "\x00" + id))
	return filepath.Join(h.sessionsDir(), hex.EncodeToString(sum[:8])+".json")
}

// NoteSession keeps what is heard of a session; what is left empty is as it was. What cannot be kept is no
// reason to fail.
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

// StillRests says that a session that rests is still waited for.
func (h *Home) StillRests(program, id string) { h.touchSession(h.sessionFile(program, id)) }

// EndSession has a session hold nothing and do nothing any more.
func (h *Home) EndSession(program, id string) {
	if s, _ := readSession(h.sessionFile(program, id)); s.ID != "" {
		s.State, s.Item = "", ""
		h.writeSession(s)
	}
}

// LiveSessions are the agent's sessions that work, or that rest and are waited for, as far as hooks told.
func (h *Home) LiveSessions(agent model.AgentID) (out []Session) {
	h.eachSession(worksFor, func(s Session, age time.Duration) {
		if s.Agent == agent && (s.State == SessionWorks || s.State == SessionRests && age < restsFor) {
			out = append(out, s)
		}
	})
	return out
}

// HeldElsewhere are the items that the agent's other sessions hold. A session without an item of its own
// holds none.
func (h *Home) HeldElsewhere(agent model.AgentID, isOwn func(Session) bool) (out []model.ItemID) {
	for _, s := range h.LiveSessions(agent) {
		if s.Item != "" && !isOwn(s) {
			out = append(out, s.Item)
		}
	}
	return out
}

// LastSession is the agent's session that worked last on the item that has these names, or else as the agent.
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

// eachSession visits the sessions that were heard of within a time, and forgets old ones.
func (h *Home) eachSession(within time.Duration, visit func(s Session, age time.Duration)) {
	list, _ := files.ReadDir(h.sessionsDir())
	for _, x := range list {
		path := filepath.Join(h.sessionsDir(), x.Name())
		info, err := x.Info()
		if err != nil {
			continue
		}
		age := h.o.Now().Sub(info.ModTime())
		if age > sessionAge {
			_ = os.Remove(path)
			continue
		}
		if age > within {
			continue
		}
		if s, _ := readSession(path); s.ID != "" {
			visit(s, age)
		}
	}
}

// readSession is a session's file, with its bytes; a zero one is not there, or not readable.
func readSession(path string) (s Session, raw []byte) {
	raw, err := files.ReadSmall(path, maxSession)
	if err != nil || json.Unmarshal(raw, &s) != nil {
		return Session{}, nil
	}
	return s, raw
}

// writeSession keeps a session. What cannot be kept is no reason to fail.
func (h *Home) writeSession(s Session) {
	raw, err := json.Marshal(s)
	if err == nil && os.MkdirAll(h.sessionsDir(), 0o700) == nil {
		path := h.sessionFile(s.Program, s.ID)
		_ = files.WriteAtomic(path, raw)
		h.touchSession(path)
	}
}

// touchSession has a session count as heard of now.
func (h *Home) touchSession(path string) {
	_ = os.Chtimes(path, time.Time{}, h.o.Now()) // one that is not known is not missed
}
