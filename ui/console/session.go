package console

import (
	"context"
	"reflect"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/console/screen"
)

// Sessions tell of the sessions of agents' programs that vise runs.
type Sessions interface {
	// Driven are the sessions that vise runs or ran, newest first. One whose driver is dead is gone.
	Driven() []home.Session
	// Read reads what a session said after an offset of its log, and where the next will be.
	Read(s home.Session, from int64) (said []acp.Entry, next int64, err error)
}

// talk is what is known of sessions, and what the one on screen said.
type talk struct {
	all []home.Session
	// shown is the session on screen or the last one there, story what was read of it, up to next.
	shown *screen.Session
	story *acp.Story
	next  int64
	// follows is the id of the session whose log is followed; stop ends that; nil: nothing is followed yet.
	follows string
	stop    context.CancelFunc
}

// The intervals at which the log of the session on screen, and the list of sessions, are looked at.
const (
	logEvery      = 100 * time.Millisecond
	sessionsEvery = time.Second
)

// sessionOf is the session of an item, or the newest of its agent.
func (t talk) sessionOf(agent model.AgentID, item model.ItemID) (out home.Session, ok bool) {
	for _, s := range t.all {
		if s.Agent == agent && (!ok || item != "" && s.Item == item && out.Item != item) {
			out, ok = s, true
		}
	}
	return out, ok
}

// liveOf is what a session does now, as it is shown.
func liveOf(s home.Session) screen.Live {
	state := map[home.SessionState]model.Text{home.SessionStarts: "starting", home.SessionWorks: "working", home.SessionAsks: "asks",
		home.SessionRests: "idle"}[s.State]
	if state == "" {
		state = "gone"
	}
	usd := s.Total
	if usd == 0 {
		usd = s.Usage.CostUSD
	}
	return screen.Live{State: state, Since: s.Since, Doing: model.Text(s.Doing), Context: s.Context, Size: s.ContextSize, USD: usd,
		Asks: s.State == home.SessionAsks, Gone: state == "gone"}
}

// sessionShown is the session that the detail shows; nil if there is none.
func sessionShown(c *console) *screen.Session {
	s, ok := c.talk.sessionOf(c.shown())
	if !ok {
		return nil
	}
	out := screen.Session{ID: s.ID, Laid: map[int]screen.LaidPart{}}
	if c.talk.shown != nil && c.talk.shown.ID == s.ID {
		out = *c.talk.shown
	}
	out.Live = liveOf(s)
	return &out
}

// inSession takes a new place in the session on screen.
func (t *talk) inSession(s *screen.Session) {
	if s != nil && t.shown != nil && s.ID == t.shown.ID {
		t.shown = s
	}
}

// foldSession unfolds what the session on screen did, or folds it.
func foldSession(c *console) {
	s := *sessionShown(c)
	s.Open = !s.Open
	c.talk.inSession(&s)
}

// followSession follows the list of sessions, and the log of the one on screen.
func followSession(c *console) {
	t := &c.talk
	if c.fx.Sessions == nil || c.truth.at.IsZero() {
		return
	}
	s, ok := t.sessionOf(c.shown())
	if !ok || c.view != viewDesk || c.tab != screen.TabSession || !c.layout.shows(paneDetail) {
		s = home.Session{}
	}
	if t.stop != nil && t.follows == s.ID {
		return
	}
	if t.stop != nil {
		t.stop()
	}
	if s.ID != "" && (t.shown == nil || t.shown.ID != s.ID) {
		t.shown, t.story, t.next = &screen.Session{ID: s.ID, Laid: map[int]screen.LaidPart{}}, &acp.Story{}, 0
	}
	var ctx context.Context
	ctx, t.stop = context.WithCancel(c.fx.ctx)
	t.follows = s.ID
	c.start(c.fx.newsOf(ctx, s, t.next, t.all))
}

// sessionNews brings what a session said, and the sessions.
type sessionNews struct {
	ctx  context.Context
	of   home.Session
	said []acp.Entry
	next int64
	all  []home.Session
	at   time.Time
}

// newsOf waits until a session said more, or any began to do something else.
func (e *effects) newsOf(ctx context.Context, of home.Session, from int64, known []home.Session) tea.Cmd {
	return func() tea.Msg {
		m := sessionNews{ctx: ctx, of: of, next: from}
		for looked := (time.Time{}); ; {
			if now := e.now(); now.Sub(looked) >= sessionsEvery {
				m.all, looked = e.Sessions.Driven(), now
			}
			if of.ID != "" {
				m.said, m.next, _ = e.Sessions.Read(of, from) // a log that is not there yet
			}
			if m.at = e.now(); len(m.said) > 0 || !reflect.DeepEqual(m.all, known) {
				return m
			}
			every := sessionsEvery
			if of.ID != "" {
				every = logEvery
			}
			timer := time.NewTimer(every)
			select {
			case <-ctx.Done():
				timer.Stop()
				return nil
			case <-timer.C:
			}
		}
	}
}

func (m sessionNews) handle(c *console) {
	t := &c.talk
	c.now = later(c.now, m.at)
	if t.all = m.all; m.ctx.Err() != nil {
		return
	}
	if len(m.said) > 0 && t.shown != nil && t.shown.ID == m.of.ID {
		for _, e := range m.said {
			if i := t.story.Add(e); i >= 0 {
				if p := t.story.Parts[i]; p.Kind != acp.PartWords {
					delete(t.shown.Laid, i)
				}
			}
		}
		next := *t.shown
		next.Parts = t.story.Parts
		t.shown, t.next = &next, m.next
	}
	c.start(c.fx.newsOf(m.ctx, m.of, m.next, slices.Clip(m.all)))
}
