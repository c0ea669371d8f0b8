package cli

import (
	"slices"
	"strings"
	"sync"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/agents"
	"vise/ui/console"
)

// sessionView shows the sessions of a home in the console.
type sessionView struct {
	dir string

	mu     sync.Mutex // protects all below
	home   home.Sessions
	looked agents.Looked
}

func sessionsIn(h *home.Home, now func() time.Time) *sessionView {
	return &sessionView{dir: h.Dir(), home: home.SessionsIn(h.Dir(), now).Kept(), looked: agents.Looked{}}
}

// sessions are those of the home that is open.
func (e *Env) sessions() []home.Session {
	if e.home == nil {
		return nil
	}
	return sessionsIn(e.home, e.now).Known()
}

// says what the agent's session does, if that is what its agent does.
func (e *Env) says(agent model.AgentID, d model.Decision) string {
	s, _ := home.Live(e.sessions(), agent)
	return s.Says(e.now(), d)
}

// doesNow puts what the agent's session does in the place of when it runs next.
func (e *Env) doesNow(agent model.AgentID, d model.Decision, label *string, next *model.Text) {
	if words := e.says(agent, d); words != "" {
		*next = model.Text(words)
		if *label == "Runs next" {
			*label = "Does now"
		}
	}
}

// Known is part of console.Sessions.
func (v *sessionView) Known() []home.Session {
	v.mu.Lock()
	defer v.mu.Unlock()
	list := v.home.Known(agents.Lives)
	for i, s := range list {
		list[i] = v.looked.Look(s)
	}
	return slices.DeleteFunc(list, func(s home.Session) bool { return s.ID == "" && s.State == home.SessionGone })
}

// Read is part of console.Sessions.
func (v *sessionView) Read(s home.Session, from, most int64) ([]acp.Entry, int64, error) {
	if s.Driver.PID == 0 {
		return agents.Told(s, from, most)
	}
	return acp.ReadEnd(acp.LogPath(v.dir, s.Agent, s.ID), from, most)
}

// The bounds of a search in sessions.
const (
	sessionsSearched = 20
	mostSaid         = 10
)

// Find is part of console.Sessions.
func (v *sessionView) Find(line string, of model.AgentID) (hits []console.Said) {
	words := strings.Fields(strings.ToLower(line))
	list := slices.DeleteFunc(v.Known(), func(s home.Session) bool { return of != "" && s.Agent != of })
	for _, s := range list[:min(len(list), sessionsSearched)] {
		story := acp.StoryOf(s.Program)
		all, _, _ := v.Read(s, 0, acp.MaxRead) // a session without a log has said nothing
		for _, x := range all {
			story.Add(x)
		}
		for _, p := range slices.Backward(story.Parts) {
			said := model.Text(logLines(p))
			if len(hits) == mostSaid {
				return hits
			}
			if all := strings.ToLower(said.Raw()); p.From == model.Scheduler || len(words) == 0 || // raw: looked through
				slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) }) {
				continue
			}
			lines := said.Lines()
			at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(strings.ToLower(l), words[0]) })
			line := model.Text(strings.TrimSpace(lines[max(at, 0)]))
			hits = append(hits, console.Said{Session: s.ID, Agent: s.Agent, At: p.At, Line: line})
		}
	}
	return hits
}
