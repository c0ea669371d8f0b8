package console

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// Sessions tell of the sessions of agents' programs: those that vise runs, and those that people run in the programs' own terminals.
type Sessions interface {
	// Known are the sessions, newest first. One whose driver or program is dead is gone.
	Known() []home.Session
	// Read reads what a session said after an offset of its log or transcript, at most the last bytes, and where the next will be.
	Read(s home.Session, from, most int64) (said []acp.Entry, next int64, err error)
	// Find finds where an agent's sessions, or all, said or did all words, newest first. It is bounded.
	Find(words string, of model.AgentID) []Said
}

// Said is a place in what a session said or did.
type Said struct {
	Session string        `json:"session_id"`
	Agent   model.AgentID `json:"agent_id"`
	At      time.Time     `json:"at"`
	// Line is the first line with one of the words.
	Line model.Text `json:"line"`
}

// talk is what is known of sessions, and what the one on screen said.
type talk struct {
	all []home.Session
	// shown is the session on screen or the last one there, story what was read of it, up to next: first the last most bytes, to opened.
	shown              screen.Session
	story              acp.Story
	next, opened, most int64
	// follows is the id of the session whose log is followed; stop ends that; nil: nothing is followed yet.
	follows string
	stop    context.CancelFunc
	// sent are the operator's messages.
	sent map[model.AgentID][]model.Text
	// chosen is the id of the session that the operator went to, for the item chosenFor. seek finds the part to show as soon as it is read.
	chosen    string
	chosenFor model.ItemID
	seek      func(acp.Part) bool
}

const (
	// firstBytes is how much of the end of a long log is read before the operator looks further back.
	firstBytes = 256 << 10
	// maxFollowed is how much more is read before the end is read again, so that what is far back takes no memory.
	maxFollowed = 1 << 20
	// mostSent is how many of the operator's messages are kept.
	mostSent = 20
)

// again has what the session said read again, the last most bytes.
func (t *talk) again(most int64) { t.next, t.most, t.follows = 0, most, "" }

// The intervals at which the log of the session on screen, and the list of sessions, are looked at.
const (
	logEvery      = 50 * time.Millisecond
	sessionsEvery = time.Second
)

// sessionOf is the session that the operator chose for an item, or the item's newest, or the newest of its agent.
func (t talk) sessionOf(agent model.AgentID, item model.ItemID) (out home.Session, ok bool) {
	for _, s := range t.all {
		switch {
		case s.Agent != agent:
		case s.ID == t.chosen && item == t.chosenFor:
			return s, true
		case !ok || item != "" && s.Item == item && out.Item != item:
			out, ok = s, true
		}
	}
	return out, ok
}

// earlierSession goes n sessions of the item back.
func earlierSession(n int) act {
	return func(c *console) {
		t, all := &c.talk, []home.Session{}
		for _, s := range t.all {
			if s.Agent == c.agent && s.Item == c.cursor {
				all = append(all, s)
			}
		}
		now, _ := t.sessionOf(c.shown())
		at := slices.IndexFunc(all, func(s home.Session) bool { return s.ID == now.ID })
		if at = min(max(at+n, 0), len(all)-1); at >= 0 {
			t.chosen, t.chosenFor = all[at].ID, c.cursor
		}
		c.say(fmt.Sprintf("Session %d of %d of this item.", max(len(all)-at, 1), max(len(all), 1)))
	}
}

// nextTurn moves the cursor to the next turn of the session, or the one before.
func nextTurn(step int) act {
	return func(c *console) {
		s := *c.detailView().Session
		for i := s.Cursor() + step; i >= 0 && i < len(s.Parts); i += step {
			if s.Parts[i].Kind == acp.PartTurn {
				c.talk.shown = s.Show(i)
				return
			}
		}
		c.say("There is no other turn in that direction.")
	}
}

// toSaid goes from the report to where its words were said.
func toSaid(c *console) {
	words := c.detail().Report.Text
	seekIn(c, func(p acp.Part) bool {
		return p.Kind == acp.PartWords && strings.Contains(p.Text.Raw(), words.Raw()) // raw: looked through, not shown
	})
}

// toFound goes to a place in a session.
func toFound(c *console, x Said) {
	at := slices.IndexFunc(c.talk.all, func(s home.Session) bool { return s.ID == x.Session && s.Agent == x.Agent })
	if at < 0 {
		c.say("That session is not kept any more.")
		return
	}
	s := c.talk.all[at]
	c.goToItem(s.Agent, s.Item)
	c.talk.chosen, c.talk.chosenFor = s.ID, s.Item
	seekIn(c, func(p acp.Part) bool { return p.At.Equal(x.At) })
}

// seekIn shows the session, and in it the part that is looked for.
func seekIn(c *console, is func(acp.Part) bool) {
	goTab(screen.TabSession)(c)
	c.talk.seek = is
	if s, _ := c.talk.sessionOf(c.shown()); c.talk.shown.ID == s.ID && c.talk.next > 0 {
		seekSaid(c)
	}
}

// seekSaid shows the part that is looked for. One that was not read is looked for further back.
func seekSaid(c *console) {
	t := &c.talk
	if t.seek == nil {
		return
	}
	for i, p := range slices.Backward(t.shown.Parts) {
		if t.seek(p) {
			t.shown, t.seek = t.shown.Show(i), nil
			return
		}
	}
	if t.most < acp.MaxRead {
		t.again(acp.MaxRead)
		return
	}
	t.seek = nil
	c.say("Those words are not in what is kept of this session.")
}

// stillRuns says which agents run without the console, and how each is ended.
func stillRuns(all []home.Session) (out string) {
	for _, s := range all {
		if s.Driver.PID != 0 && s.State != home.SessionGone {
			out += fmt.Sprintf("%s goes on without the console (%s); vise stop %s ends it.\n", s.Agent, s.State, s.Agent)
		}
	}
	return out
}

// sessionShown is the session that the detail shows; nil if there is none.
func sessionShown(c *console) *screen.Session {
	s, ok := c.talk.sessionOf(c.shown())
	if !ok {
		return toldElsewhere(c)
	}
	out := screen.Session{}
	if c.talk.shown.ID == s.ID {
		out = c.talk.shown
	}
	out.Session = s
	if d := c.truth.desk.Agent; d.ID == s.Agent {
		sent := c.talk.sent[s.Agent]
		out.Sent = sent[max(len(sent)-d.QueuedInput, 0):]
	}
	if l, ok := c.layers.top().(*sayLine); ok {
		out.Typed = &l.focused().Field
	}
	_, out.Answers = c.layers.top().(*permitLine)
	return &out
}

// permitLine takes the letters that answer a permission, where its session shows it.
type permitLine struct {
	textKeys
	row   model.Row
	ready bool
}

// answersAfter is how long letters that were on their way to something else mean nothing.
const answersAfter = 500 * time.Millisecond

// answerInSession answers what the session on screen asks: a permission there, a question in the run to zero.
func answerInSession(c *console) {
	asks := func(n model.Need) int {
		return slices.IndexFunc(c.inbox(), func(x model.Inboxed) bool { return x.Need == n && x.AgentID == c.agent })
	}
	at := asks(model.NeedPermit)
	if at < 0 || len(permissionChoices(c.facts(), c.inbox()[at].Row)) == 0 {
		c.toZero(max(at, asks(model.NeedAnswer), 0))
		return
	}
	l := &permitLine{row: c.inbox()[at].Row}
	c.open(l)
	c.start(c.fx.after(answersAfter, func(*console) { l.ready = true }))
}

// Press is part of dialog.
func (l *permitLine) Press(k keyPress, x facts) (open bool, m message) {
	if k.ID == action.Back {
		return false, nil
	}
	for _, choice := range permissionChoices(x, l.row) {
		if l.ready && choice.Key == cmp.Or(action.Latin(k.KeyPressMsg), k.String()) {
			if choice.Off != "" {
				return true, sayMsg(text.Sentence(choice.Off))
			}
			l.ready = false
			open, _ := outcome(choice.Result)
			return open, choice.Result
		}
	}
	return true, nil
}

// Refused is part of refuser.
func (l *permitLine) Refused() { l.ready = true }

// Draw is part of dialog.
func (l *permitLine) Draw(x facts) drawnDialog {
	hint := ""
	for _, choice := range permissionChoices(x, l.row) {
		hint += choice.Key + " " + choice.Title + " · "
	}
	return drawnDialog{Hint: hint + x.Keyed("{back} leaves it open")}
}

// sayLine is a message to the agent whose session is shown, typed in the session's page, which draws it.
type sayLine struct {
	*form
	w int
}

// Press is part of dialog. Enter sends.
func (l *sayLine) Press(k keyPress, x facts) (open bool, m message) {
	if x.W = l.w; k.ID == action.Open {
		k.ID = action.Submit
	}
	return l.form.Press(k, x)
}

// Draw is part of dialog.
func (l *sayLine) Draw(x facts) drawnDialog {
	return drawnDialog{Hint: x.Keyed("{open} sends · {edit-outside} editor · {back} keeps the draft")}
}

// saySomething opens the line to write, where a session is shown; elsewhere the dialog for a message.
func saySomething(c *console) {
	d, v := messaging(c), c.detailView()
	if f, ok := d.(*form); ok && v.Tab == screen.TabSession && v.Session != nil && !v.Empty() {
		agent, send := c.agent, f.Submit
		f.Fields = f.Fields[:1]
		f.Fields[0].Rows = screen.SayRows
		f.Submit = func(x facts) message {
			m := send(x).(apply)
			said := m.Command.(model.Say).Text
			m.Before = act(func(c *console) {
				sent := c.talk.sent[agent]
				c.talk.sent[agent] = append(sent[max(len(sent)-mostSent, 0):], said)
			})
			return m
		}
		d = &sayLine{f, v.SayW() + 6}
	}
	c.open(d)
}

// toldElsewhere is a session that runs on another machine, as far as the ledger tells: its finished replies. nil: it tells none.
func toldElsewhere(c *console) *screen.Session {
	d := c.detail()
	if d == nil || len(d.Finished) == 0 || c.fx.Sessions == nil {
		return nil
	}
	out := screen.Session{Laid: map[int]screen.LaidPart{}}
	if was := c.talk.shown; was.ID == "" && was.Item == d.ID {
		out = was
	}
	out.Session = home.Session{Agent: d.AgentID, Item: d.ID, State: home.SessionRests, Since: d.Finished[len(d.Finished)-1].At}
	if !d.TurnSince.IsZero() {
		out.State, out.Since = home.SessionWorks, d.TurnSince
	}
	out.Parts = nil
	for _, x := range d.Finished {
		if x.Text != "" {
			out.Parts = append(out.Parts, acp.Part{At: x.At, Kind: acp.PartWords, Text: x.Text})
		}
		for _, name := range slices.Concat(x.Tools, []model.Text{model.Text(strings.Join(x.Calls, ", "))}) {
			if name != "" {
				call := acp.Call{Title: name.Raw(), Status: sdk.ToolCallStatusCompleted} // raw: a text again where it is shown
				out.Parts = append(out.Parts, acp.Part{At: x.At, Kind: acp.PartCall, Call: call})
			}
		}
	}
	return &out
}

// followSession follows the list of sessions, and the log of the one on screen.
func followSession(c *console) {
	t := &c.talk
	if c.fx.Sessions == nil {
		return
	}
	s, ok := t.sessionOf(c.shown())
	if ok {
		if v := c.detailView(); v.Tab != screen.TabSession || v.Empty() {
			s = home.Session{}
		}
	}
	switch x := t.shown; {
	case s.ID == "":
	case x.ID != s.ID || x.Laid == nil:
		t.shown = screen.Session{Session: s, Laid: map[int]screen.LaidPart{}}
		t.again(firstBytes)
	case x.Stands && x.At.Part == 0 && len(x.Parts) > 0 && x.Parts[0].Kind == acp.PartEnded && t.most < acp.MaxRead:
		t.again(acp.MaxRead)
	case !x.Stands && t.next-t.opened > maxFollowed:
		t.again(firstBytes)
	}
	if t.stop != nil {
		if t.follows == s.ID {
			return
		}
		t.stop()
	}
	var ctx context.Context
	ctx, t.stop = context.WithCancel(c.fx.ctx)
	t.follows = s.ID
	c.start(c.fx.newsOf(ctx, s, *t))
}

// newsOf waits until a session said more, or any began to do something else. The first frame does not wait for the list.
func (e *effects) newsOf(ctx context.Context, of home.Session, t talk) tea.Cmd {
	return func() tea.Msg {
		all, next, every := t.all, t.next, sessionsEvery
		var said []acp.Entry
		if all == nil {
			home.Pause(ctx, logEvery)
		}
		for i := 0; ; i++ {
			if of.ID == "" || i%int(sessionsEvery/logEvery) == 0 {
				all = e.Sessions.Known()
			}
			if of.ID != "" {
				every = logEvery
				said, next, _ = e.Sessions.Read(of, t.next, t.most) // a log that is not there yet
			}
			if len(said) > 0 || !reflect.DeepEqual(all, t.all) {
				at := e.now()
				return act(func(c *console) {
					c.now, c.talk.all = later(c.now, at), all
					if ctx.Err() == nil {
						heard(c, of, said, t.next, next)
						c.start(c.fx.newsOf(ctx, of, c.talk))
					}
				})
			}
			if home.Pause(ctx, every); ctx.Err() != nil {
				return nil
			}
		}
	}
}

// heard takes what a session said between two offsets, if it is on screen.
func heard(c *console, of home.Session, said []acp.Entry, from, next int64) {
	t := &c.talk
	if of.ID == "" || t.shown.ID != of.ID {
		return
	}
	if from == 0 {
		t.story, t.opened, t.shown.Laid = acp.StoryOf(of.Program), next, map[int]screen.LaidPart{}
	}
	for _, e := range said {
		if i := t.story.Add(e); i >= 0 && t.story.Parts[i].Kind != acp.PartWords {
			delete(t.shown.Laid, i)
		}
	}
	if from == 0 {
		t.shown = t.shown.Shifted(len(t.story.Parts) - len(t.shown.Parts))
	}
	if next < from { // the log was set aside
		t.opened = 0
	}
	t.shown.Parts, t.next = t.story.Parts, next
	seekSaid(c)
}
