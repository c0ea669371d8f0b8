package home

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
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
	// Tmux is the socket of the session's tmux server, and Pane its pane there. Runs is what runs in the pane, if the process is not known.
	Tmux string `json:"tmux,omitempty"`
	Pane string `json:"pane,omitempty"`
	Runs string `json:"runs,omitempty"`
	// Transcript is the file into which the program writes the conversation.
	Transcript string `json:"transcript,omitempty"`
	// At is when the session was last prompted or last used a vise tool.
	At time.Time `json:"at,omitzero"`
	// State is empty if the session has begun no turn or has ended. It began at Since, and Doing is at what the session works.
	State SessionState `json:"state,omitempty"`
	Since time.Time    `json:"since,omitzero"`
	Doing string       `json:"doing,omitempty"`
	// Process is the program of a session that a person runs; zero if it is not known.
	Process model.Process `json:"process,omitzero"`
	// Driver is the process of vise that runs the session; zero if a person runs it. Turn is its turn in progress, which begins in the
	// session's log at Offset.
	Driver model.Process `json:"driver,omitzero"`
	Turn   int           `json:"turn,omitempty"`
	Offset int64         `json:"offset,omitempty"`
	// Usage is what the turn in progress used so far, or what the last one used; Context and ContextSize are tokens of the model's context.
	Usage       model.Usage `json:"usage,omitzero"`
	Context     int         `json:"context,omitempty"`
	ContextSize int         `json:"context_size,omitempty"`
	// Total is what the session cost in US dollars, as its program told it last.
	Total float64 `json:"total_usd,omitempty"`
	// Count is what a session that a person runs has used.
	Count Count `json:"count,omitzero"`
	// Item is the item that the session picked last, unless another session of the agent has picked it since.
	Item model.ItemID `json:"work_item_id,omitempty"`
	// WorkedOn are the items that the session named last, by the name that it used, newest first.
	WorkedOn []Named `json:"worked_on,omitempty"`
}

// Steered says how to steer a session that a person runs; empty for one that vise runs.
func (s Session) Steered() string {
	switch {
	case s.Driver.PID != 0:
		return ""
	case s.State == SessionGone:
		return fmt.Sprintf("it ran in its program's own terminal; vise run %s opens it again there", s.Agent)
	}
	return fmt.Sprintf("it runs in its program's own terminal; vise run %s goes there", s.Agent)
}

// Live returns the agent's session that lives: first one that does something. If none does, it is the newest one, which is gone, and ok is
// false.
func Live(all []Session, agent model.AgentID) (out Session, ok bool) {
	for _, s := range all {
		switch {
		case s.Agent != agent:
		case s.State == SessionGone && out.ID == "":
			out = s
		case s.State != SessionGone && (!ok || out.State == SessionRests && s.State != SessionRests):
			out, ok = s, true
		}
	}
	return out, ok
}

// Says what the session does, if that is what its agent does now; empty: its agent's next turn is the driver's. That a person's session is
// gone is said where its agent would be due for a turn.
func (s Session) Says(now time.Time, d model.Decision) string {
	isOurs, since := s.Driver.PID != 0, s.Since.Local().Format(clock(s.Since, now))
	switch {
	case s.State == "", isOurs && (s.State == SessionRests || s.State == SessionGone):
		return ""
	case s.State == SessionGone && (d.ModelReentry || d.Offered()):
		return fmt.Sprintf("is gone since %s: its session of %s has ended; vise run %s opens it again", since, s.Program, s.Agent)
	case s.State == SessionGone:
		return ""
	}
	words := map[SessionState]string{SessionAsks: "asks for a permission", SessionRests: "is idle"}[s.State]
	words = fmt.Sprintf("%s in a session of %s since %s", cmp.Or(words, string(s.State)), s.Program, since)
	if !isOurs && s.Process.PID == 0 {
		words += ", as its hooks told"
	}
	if s.Doing != "" {
		words += ": " + s.Doing
	}
	if d.Kind == model.DecideStop {
		words += "; the agent is stopped"
	}
	return words
}

// clock is the form of a time of the last day, or of one before.
func clock(at, now time.Time) string {
	if now.Sub(at) < 24*time.Hour {
		return time.TimeOnly
	}
	return time.DateTime
}

// Used says what a session's context holds and what it cost: " · 61k of 200k · $0.42".
func (s Session) Used() (out string) {
	if s.ContextSize > 0 {
		out = fmt.Sprintf(" · %dk of %dk", (s.Context+500)/1000, s.ContextSize/1000)
	}
	used := s.Usage
	if used.CostUSD = cmp.Or(s.Total, used.CostUSD); used.Words() != "" {
		out += " · " + used.Words()
	}
	return out
}

// Count is what a session used, as far as its transcript was read.
type Count struct {
	// Read is where the next reading begins. Driven means that a driver counts, because it runs the program.
	Read   int64 `json:"read"`
	Driven bool  `json:"driven,omitempty"`
	// Served means that a call of vise's tools succeeded.
	Served bool `json:"served,omitempty"`
	// Days are the sums, by day (UTC); Reply is the last reply, which used Last so far.
	Days  map[string]model.Usage `json:"days,omitempty"`
	Reply string                 `json:"reply,omitempty"`
	Last  model.Usage            `json:"last,omitzero"`
}

// Add counts what a reply used. What is told of one reply again takes the place of what was told before.
func (c *Count) Add(day, reply string, u model.Usage) {
	if u == (model.Usage{}) {
		return
	}
	if c.Days == nil {
		c.Days = map[string]model.Usage{}
	}
	sum := c.Days[day]
	if reply != "" && reply == c.Reply {
		sum.InputTokens, sum.OutputTokens = sum.InputTokens-c.Last.InputTokens, sum.OutputTokens-c.Last.OutputTokens
	}
	c.Days[day], c.Reply, c.Last = sum.Plus(u), reply, u
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
	SessionWorks SessionState = "working"
	// SessionRests: its turn has ended, and a process waits for its next one.
	SessionRests SessionState = "idle"
	// SessionStarts: its program was started and has not answered yet.
	SessionStarts SessionState = "starting"
	// SessionAsks: its program waits for a permission or an answer.
	SessionAsks SessionState = "asks"
	// SessionGone: its program has ended.
	SessionGone SessionState = "gone"
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

// Sessions are the sessions that the home in Dir knows.
type Sessions struct {
	home string
	now  func() time.Time
	kept map[string]keptSession
}

// keptSession is a session as its file was when it was read.
type keptSession struct {
	file fs.FileInfo
	Session
}

// SessionsIn returns the sessions of the home in dir.
func SessionsIn(dir string, now func() time.Time) Sessions { return Sessions{home: dir, now: now} }

// Kept returns sessions whose files are read again only when they change. One goroutine at a time can use it, and changes no session.
func (h Sessions) Kept() Sessions {
	h.kept = map[string]keptSession{}
	return h
}

func (h Sessions) sessionsDir() string { return filepath.Join(h.home, "state", "hooks", "of-sessions") }

// sessionFile is where a session is kept. Some programs number their sessions, so that two agents' can have the same id.
func (h Sessions) sessionFile(agent model.AgentID, program, id string) string {
	return filepath.Join(h.sessionsDir(), model.Hash(string(agent), program, id)[:16]+".json")
}

// NoteSession keeps the news of a session that a person runs. Fields that are empty stay as they were, but for Doing. A failure is ignored.
func (h Sessions) NoteSession(s Session) {
	path := h.sessionFile(s.Agent, s.Program, s.ID)
	was, raw := readSession(path)
	if s.At.IsZero() {
		s.Dir, s.Tmux, s.Pane, s.Transcript, s.At = was.Dir, was.Tmux, was.Pane, was.Transcript, was.At
	}
	if s.Process.PID == 0 {
		s.Process = was.Process
	}
	if s.Pane == was.Pane {
		s.Runs = cmp.Or(s.Runs, was.Runs)
	}
	if s.Count.Driven = s.Count.Driven || was.Count.Driven; !s.Count.Driven {
		s.Count = was.Count
	}
	if info, err := os.Lstat(s.Transcript); err == nil && was.Driver.PID != 0 {
		s.Count.Read = info.Size() // its driver counted so far
	}
	s.State, s.Item, s.Since = cmp.Or(s.State, was.State), cmp.Or(s.Item, was.Item), was.Since
	if s.State != was.State || s.Since.IsZero() {
		s.Since = h.now().UTC()
	}
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
func (h Sessions) StillRests(agent model.AgentID, program, id string) {
	h.touchSession(h.sessionFile(agent, program, id))
}

// Put keeps what a driver knows of its session. One that only starts has no id, and is forgotten if it ends without one.
func (h Sessions) Put(s Session) {
	starts := h.sessionFile(s.Agent, s.Program, "")
	switch {
	case s.ID != "":
		_ = os.Remove(starts)
		h.writeSession(s)
	case s.State == SessionGone:
		_ = os.Remove(starts)
	default:
		_ = keepSession(starts, s)
	}
}

func (h Sessions) turnFile(s Session) string {
	return filepath.Join(h.home, "state", "turns", filepath.Base(h.sessionFile(s.Agent, s.Program, s.ID)))
}

// BeginTurn keeps that a driver's turn has begun, so that others settle it if the driver dies.
func (h Sessions) BeginTurn(s Session) error { return keepSession(h.turnFile(s), s) }

// EndTurn notes that the ledger has all words of a turn.
func (h Sessions) EndTurn(s Session) { _ = os.Remove(h.turnFile(s)) } // a turn that is settled twice changes nothing

// Turns returns the sessions with turns that have begun and are not settled.
func (h Sessions) Turns() (out []Session) {
	list, _ := files.ReadDir(filepath.Join(h.home, "state", "turns"))
	for _, x := range list {
		if s, _ := readSession(filepath.Join(h.home, "state", "turns", x.Name())); s.ID != "" {
			out = append(out, s)
		}
	}
	return out
}

// Driven returns the sessions that vise runs or ran, newest first.
func (h Sessions) Driven() []Session {
	return slices.DeleteFunc(h.Known(nil), func(s Session) bool { return s.Driver.PID == 0 })
}

// Known returns the sessions of agents' programs, newest first. One that does not live is gone, since its last sign, and so is one whose
// process and pane are not known, once it has been silent for worksFor. Nil for lives means that none is asked.
func (h Sessions) Known(lives func(Session) bool) (out []Session) {
	h.eachSession(sessionAge, func(s Session, sign time.Time) {
		driven, p := s.Driver.PID != 0, cmp.Or(s.Driver, s.Process)
		if !driven && s.At.IsZero() {
			return
		}
		isGone := s.State == "" && !driven || p.PID == 0 && s.Runs == "" && h.now().Sub(sign) > worksFor
		if s.State != SessionGone && (isGone || lives != nil && !lives(s)) {
			s.State, s.Doing = SessionGone, ""
			if !driven {
				s.Since = sign.UTC()
			}
		}
		out = append(out, s)
	})
	slices.SortStableFunc(out, func(a, b Session) int { return b.Since.Compare(a.Since) })
	return out
}

// SessionOf returns what is known of a session.
func (h Sessions) SessionOf(agent model.AgentID, program, id string) (Session, bool) {
	s, _ := readSession(h.sessionFile(agent, program, id))
	return s, s.ID != ""
}

// KeepCount keeps what a session has used. That is no news of it.
func (h Sessions) KeepCount(s Session) {
	path := h.sessionFile(s.Agent, s.Program, s.ID)
	info, err := os.Lstat(path)
	if now, ok := h.SessionOf(s.Agent, s.Program, s.ID); ok && err == nil {
		now.Count = s.Count
		_ = keepSession(path, now) // counted again next time
		_ = os.Chtimes(path, time.Time{}, info.ModTime())
	}
}

// EndSession notes that a session has ended: it has no state.
func (h Sessions) EndSession(agent model.AgentID, program, id string) {
	if s, ok := h.SessionOf(agent, program, id); ok {
		s.State, s.Doing, s.Since = "", "", h.now().UTC()
		h.writeSession(s)
	}
}

// LiveSessions returns the agent's sessions that work, or that are idle with a process waiting, as far as hooks reported.
func (h Sessions) LiveSessions(agent model.AgentID) (out []Session) {
	h.eachSession(worksFor, func(s Session, sign time.Time) {
		if s.Agent == agent && (s.State == SessionWorks || s.State == SessionRests && h.now().Sub(sign) < restsFor) {
			out = append(out, s)
		}
	})
	return out
}

// HeldElsewhere returns the items that the agent's other sessions hold.
func (h Sessions) HeldElsewhere(agent model.AgentID, isOwn func(Session) bool) (out []model.ItemID) {
	for _, s := range h.LiveSessions(agent) {
		if s.Item != "" && !isOwn(s) {
			out = append(out, s.Item)
		}
	}
	return out
}

// LastSession returns the agent's session that worked last on the item with these names, or else its last session, whoever runs it.
func (h Sessions) LastSession(agent model.AgentID, names ...string) (last Session, ok bool) {
	var named bool
	var at time.Time
	h.eachSession(sessionAge, func(s Session, _ time.Time) {
		if s.Driver.PID != 0 {
			s.At, s.WorkedOn = s.Since, append(s.WorkedOn, Named{string(s.Item), s.Since})
		}
		if s.Agent != agent || s.At.IsZero() || s.ID == "" {
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

// eachSession visits the sessions whose last sign came in the last within, with when it came, and removes the files of old ones.
func (h Sessions) eachSession(within time.Duration, visit func(s Session, sign time.Time)) {
	h.eachFile(h.sessionsDir(), sessionAge, func(path string, file fs.FileInfo, age time.Duration) {
		if age > within || filepath.Ext(path) != ".json" {
			return
		}
		s := h.kept[path]
		if s.file == nil || !os.SameFile(s.file, file) || s.file.Size() != file.Size() || !s.file.ModTime().Equal(file.ModTime()) {
			s.file = file
			if s.Session, _ = readSession(path); h.kept != nil {
				h.kept[path] = s
			}
		}
		if s.Program != "" {
			visit(s.Session, file.ModTime())
		}
	})
}

// eachFile visits the files of a directory with their ages, and removes those that are older than longest.
func (h Sessions) eachFile(dir string, longest time.Duration, visit func(path string, file fs.FileInfo, age time.Duration)) {
	list, _ := files.ReadDir(dir)
	for _, x := range list {
		path := filepath.Join(dir, x.Name())
		info, err := x.Info()
		if err != nil {
			continue
		}
		if age := h.now().Sub(info.ModTime()); age <= longest {
			visit(path, info, age)
		} else {
			delete(h.kept, path)
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
func (h Sessions) writeSession(s Session) {
	path := h.sessionFile(s.Agent, s.Program, s.ID)
	_ = keepSession(path, s)
	h.touchSession(path)
}

func keepSession(path string, s Session) error {
	raw, err := json.Marshal(s)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = files.WriteAtomic(path, raw)
	}
	return err
}

// touchSession sets the time of a session's last news to now.
func (h Sessions) touchSession(path string) {
	_ = os.Chtimes(path, time.Time{}, h.now()) // a missing file needs no time
}
