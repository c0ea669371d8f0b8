package console

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/store/storetest"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/console/screen"
)

// stepsAWorld is how long one ledger is used: completed items never come back.
const stepsAWorld = 500

// The law of keys: a key does what the screen shows, whatever others do meanwhile. The topmost thing on the screen
// names every command that a key sends, and its hint is the hint line. Others never take it away from the operator, and
// no typed character is lost.
func TestAKeyBelongsToWhatTheEyeSees(t *testing.T) {
	storetest.Slow(t)
	var total lawCounts
	for range lawSteps / stepsAWorld {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Logf("seed %d", seed)
			synctest.Test(t, func(t *testing.T) { total = total.plus(liveByTheLaw(t, seed)) })
		})
	}
	t.Logf("%d keys, %d changes by others: %d commands, %d characters typed, %d dialogs frozen", total.keys, total.changes,
		total.commands, total.typed, total.frozen)
	if total.commands == 0 || total.typed == 0 || lawSteps > 10_000 && total.frozen == 0 {
		t.Error("too little of it: the test shows nothing")
	}
}

type lawCounts struct{ keys, changes, commands, typed, frozen int }

func (a lawCounts) plus(b lawCounts) lawCounts {
	return lawCounts{a.keys + b.keys, a.changes + b.changes, a.commands + b.commands, a.typed + b.typed, a.frozen + b.frozen}
}

// lawRun is a console that is checked after each message.
type lawRun struct {
	*randomRun
	lawCounts
	pressed []string
}

func liveByTheLaw(t *testing.T, seed uint64) lawCounts {
	x := &lawRun{randomRun: &randomRun{rng: rand.New(rand.NewPCG(seed, 2))}}
	buffers := &fakeBuffers{copies: map[string]string{}}
	x.world = newWorld(t, 100, 30, func(o *Options) {
		o.EditBuffers, o.LineVerbs = buffers, []string{"new"}
		o.ReadLine = func(_ context.Context, words []string, _ Subject) (model.Command, error) {
			if len(words)%2 == 0 {
				return nil, model.Refuse(model.CodeInvalid, "no such words")
			}
			return model.CreateWorkItem{Objective: model.Text(words[1])}, nil
		}
	})
	buffers.plans = x.plans
	x.plans.news = make(chan News, 2*stepsAWorld)
	x.world.around = x.told
	x.change("finding 001 p1 src/search.go:3 SQL injection | q := name")
	x.change("finding 002 p3 src/list.go:9 Unused import | import os")
	x.change(`thread move-limiter {"goal":"Move the limiter","next_action":"move the counter"}`)
	for range 8 {
		x.happen()
	}
	x.settle()
	for range stepsAWorld {
		switch n := x.rng.IntN(20); {
		case n < 2:
			x.happen()
			x.changes++
		case n < 3:
			x.overtake()
			x.changes++
		case n < 4 && x.rng.IntN(4) == 0:
			x.changes++
			x.send(x.popup())
		case n < 8:
			x.settle()
		case n < 9:
			x.pass(time.Duration(x.rng.IntN(2500)) * time.Millisecond)
		case n < 11:
			x.clickByTheLaw()
		default:
			x.keyByTheLaw()
		}
		if t.Failed() {
			t.Errorf("after %s:\n%s", strings.Join(x.pressed[max(len(x.pressed)-25, 0):], " "), ansi.Strip(x.console.View().Content))
			break
		}
	}
	x.settle()
	x.end()
	return x.lawCounts
}

// popup opens a dialog over the screen unasked.
func (x *lawRun) popup() tea.Msg {
	if x.rng.IntN(2) == 0 {
		return act(func(c *console) { ran(c, config.Command{}, "done", nil) })
	}
	id := x.items[x.rng.IntN(len(x.items))]
	return savedMsg{edit: planEdit{agent: testAgent, item: id, path: fmt.Sprint("/edits/", x.changes), mine: "mine", plan: true},
		err: model.Refuse(model.CodeStale, "moved")}
}

// overtake completes the item of the operator's act.
func (x *lawRun) overtake() {
	c := x.console.(console)
	if e, ok := c.layers.editor(); ok && e.About().Item != "" && x.rng.IntN(2) == 0 {
		complete := model.CompleteWorkItem{WorkItemID: e.About().Item}
		_, _ = x.ledger.Apply(x.t.Context(), model.Envelope{Key: "do-" + x.world.key(), Actor: model.Operator, Command: complete})
	}
}

func (x *lawRun) keyByTheLaw() {
	c := x.console.(console)
	var names []string
	switch c.layers.top().(type) {
	case *box:
		names = strings.Split("abcdefgijklmnoprstuwy", "")
		if x.rng.IntN(4) == 0 {
			names = strings.Fields("esc enter enter down down up backspace backspace ctrl+c")
		}
	case *zeroRun:
		names = strings.Fields("space space space 1 1 2 3 4 . . , u u enter esc j k x i A r b P m ctrl+c")
	case nil:
		for _, a := range c.keys {
			if a.In == action.Desk && a.ID != action.Suspend {
				names = append(names, a.Keys...)
			}
		}
		if x.rng.IntN(3) > 0 {
			names = strings.Fields("space space c b w i o m t p A r u P ctrl+t . . . j k j k T W : : g g / 1 2 3")
		}
	case *form, *todoDialog, *prompt, *triage, frozen:
		names = strings.Split("abcdefghijklmnopqrstuvwxyzABDEGJKLMNPRSTUVWX.,:;/?!=#é", "")
		if x.rng.IntN(5) == 0 {
			names = strings.Fields("esc enter ctrl+s ctrl+s ctrl+s tab up down 1 2 space backspace P ctrl+c")
		}
	case *menu:
		names = strings.Fields("g d f a r p t w e y c h l esc b x 1 2 enter down up")
	default:
		names = strings.Fields("esc esc enter down up 1 2 ctrl+s m t d s j k y p q")
	}
	x.strikeByTheLaw(names[x.rng.IntN(len(names))])
}

// strikeByTheLaw presses a key, and compares its effect with what was on screen.
func (x *lawRun) strikeByTheLaw(name string) {
	x.keys++
	x.pressed = append(x.pressed, name)
	k, before := keyOf(name), x.console.(console)
	held, typing := textOf(before.layers.top()), types(before)
	named := namedBy(before, k)
	x.world.around = nil
	x.press(name)
	x.world.around = x.told
	after := x.console.(console)
	x.sentBy(name, before, after, named)
	x.typedBy(name, k, before, after, held, typing)
	x.hinted()
}

// sentBy: only named commands are sent.
func (x *lawRun) sentBy(name string, before, after console, named func(job) bool) {
	for _, j := range after.outbox.jobs {
		if j.seq <= before.outbox.seq || j.envelope == nil && j.act == nil && j.thread == nil {
			continue // a draft is no command
		}
		if x.commands++; !named(j) {
			x.t.Errorf("%s sent %s, which %T does not name", name, jobName(j), before.layers.top())
		}
	}
}

// hinted: the hint line belongs to the topmost thing.
func (x *lawRun) hinted() {
	c := x.console.(console)
	top := c.layers.top()
	if top == nil {
		return
	}
	lines := strings.Split(ansi.Strip(c.View().Content), "\n")
	hint := []rune(top.Draw(c.facts()).Hint)
	if last := lines[len(lines)-1]; len(hint) == 0 || !strings.Contains(last, string(hint[:min(len(hint), 60)])) {
		x.t.Errorf("the hint line is %q, that of %T is %q", last, top, string(hint))
	}
}

// typedBy: a typed character is in its text, and the text of a dialog that a key closed is a draft, or sent.
func (x *lawRun) typedBy(name string, k tea.KeyPressMsg, before, after console, held string, typing bool) {
	was, is := before.layers.top(), after.layers.top()
	e, edits := was.(textDialog)
	key, draft := "", ""
	if edits {
		key, draft = e.Draft() // a form is changed in place
	}
	switch {
	case sameLayer(was, is) && typing && k.Text != "" && len(held) < 35:
		x.typed++
		if now := textOf(is); now == held {
			x.t.Errorf("%q typed nothing into %T, which holds %q", name, was, now)
		}
	case edits && !slices.Contains(after.layers, was) && key != "" && draft != "" && after.outbox.awaited == 0 && after.drafts[key] != draft:
		x.t.Errorf("%s closed %T: %q is lost, the draft is %q", name, was, draft, after.drafts[key])
	}
}

// told checks a change by others: it takes the keys from nothing, and changes no text.
func (x *lawRun) told(before console) func(console) {
	held := textOf(before.layers.top())
	return func(after console) {
		x.toldOf(before, after)
		if now := textOf(after.layers.top()); now != held && sameLayer(before.layers.top(), after.layers.top()) {
			x.t.Errorf("others made %q of %q", now, held)
		}
	}
}

func (x *lawRun) toldOf(before, after console) {
	was, is := before.layers.top(), after.layers.top()
	if f, ok := is.(frozen); ok && f.textDialog == was {
		x.frozen++
		key, text := f.Draft()
		if after.drafts[key] != text {
			x.t.Errorf("%T froze before %q was a draft", was, text)
		}
		return
	}
	if d, ok := was.(*conflict); ok && d.waiting {
		return
	}
	if was == nil || before.outbox.awaited != 0 && after.outbox.awaited == 0 {
		return // nothing was open, or what was submitted is answered
	}
	if !sameLayer(was, is) {
		x.t.Errorf("others put %T where %T was", is, was)
	}
}

func sameLayer(a, b dialog) bool {
	f, ok := a.(frozen)
	g, also := b.(frozen)
	_, typed := a.(*prompt) // differs with each key
	_, still := b.(*prompt)
	return ok && also && f.textDialog == g.textDialog || !ok && !also && a == b || typed && still
}

// types reports whether a letter goes into a text.
func types(c console) bool {
	switch c.layers.top().(type) {
	case *form:
		return c.layers.top().Draw(c.facts()).Cursor != nil && c.outbox.awaited == 0
	case *prompt:
		return true
	case *box:
		return c.layers.top().Draw(c.facts()).Cursor != nil && c.outbox.awaited == 0
	}
	return false
}

// textOf returns everything that is typed into a dialog.
func textOf(d dialog) string {
	switch d := d.(type) {
	case *prompt:
		return d.Value()
	case *box:
		return d.Typed()
	case *form:
		return valuesOf(d)
	}
	return ""
}

func valuesOf(f *form) string {
	var out []string
	for i := range f.Fields {
		out = append(out, f.Fields[i].Value())
	}
	return strings.Join(out, "\x00")
}

func jobName(j job) string {
	switch {
	case j.envelope != nil:
		return fmt.Sprintf("%s of %q", model.CommandName(j.envelope.Command), itemOf(j.envelope.Command))
	case j.act != nil:
		return fmt.Sprintf("%s of %s", j.act.Kind, j.act.Ref)
	}
	return fmt.Sprintf("%T", j.thread.Command)
}

// itemOf returns the item that a command is about; empty for none, or several.
func itemOf(c model.Command) model.ItemID {
	switch c := c.(type) {
	case model.PickWorkItem:
		return c.WorkItemID
	case model.UpdateWorkItem:
		return c.WorkItemID
	case model.CompleteWorkItem:
		return c.WorkItemID
	case model.WaitFor:
		return c.WorkItemID
	case model.Answer:
		return c.WorkItemID
	case model.ReportWorkItem:
		return c.WorkItemID
	case model.DeclineReport:
		return c.WorkItemID
	case model.Acknowledge:
		return c.WorkItemID
	case model.Snooze:
		return c.WorkItemID
	case model.Retry:
		return c.WorkItemID
	case model.Round:
		return c.WorkItemID
	}
	return ""
}

// commandsOf are the commands of acts that open no dialog.
var commandsOf = map[action.ID][]string{
	action.Pick: {"PickWorkItem"}, action.Review: {"Retry"}, action.Hide: {"Batch"},
	action.Tick: {"UpdateWorkItem"}, action.Undo: {"Undo"}, action.Redo: {"Undo"},
}

// titled are the commands of forms that are about no item, by the beginning of their title.
var titled = map[string]string{"New work item": "CreateWorkItem", "Message to": "Say", "Comment on": "CommentOn", "Block ": "Batch"}

// namedBy returns the commands that the topmost thing names for a key, before it is pressed.
func namedBy(c console, k tea.KeyPressMsg) func(job) bool {
	none, top := func(job) bool { return false }, c.layers.top()
	if a, _ := c.keys.Of(action.Page, k); top == nil {
		return c.actNames(a.ID)
	}
	a, _ := c.keys.Of(top.In(), k)
	switch d := top.(type) {
	case frozen, unheard, *prompt, *pager, *conflict:
		return none
	case *menu:
		return menuNames(c, d)
	case *box:
		return menuNames(c, d.menu)
	case *zeroRun:
		lines, undo := linesNames(c, d.choices(c.facts())), a.ID == action.Undo
		return func(j job) bool {
			return lines(j) || undo && j.envelope != nil && model.CommandName(j.envelope.Command) == "Undo"
		}
	case *triage:
		at, back := d.at, a.ID == action.Undo
		return func(j job) bool { return j.act != nil && (j.act.Ref == at || back) }
	case *threadsDialog:
		return func(j job) bool { return j.thread != nil && j.thread.Repo == d.chosen().In.Repo }
	case textDialog:
		if !slices.Contains([]action.ID{action.Submit, action.Open}, a.ID) {
			return none
		}
		return formNames(d)
	}
	return none
}

func formNames(d textDialog) func(job) bool {
	return func(j job) bool {
		f, ok := d.(*form)
		switch {
		case ok && j.thread != nil:
			return strings.HasPrefix(f.Title, "Begin a thread") || strings.HasPrefix(f.Title, "Take ")
		case ok && j.act != nil: // its label is the end of its name
			_, label, _ := strings.Cut(f.Title, "Complete ")
			return strings.HasSuffix(j.act.Ref.String(), strings.Fields(label)[0])
		}
		if j.envelope == nil {
			return false
		}
		about, command := d.About(), j.envelope.Command
		if about.Item == "" {
			for begins, name := range titled {
				if ok && strings.HasPrefix(f.Title, begins) && name == model.CommandName(command) {
					return true
				}
			}
			return false
		}
		name := model.CommandName(command)
		if r, ok := command.(model.Round); ok {
			name = model.CommandName(r.Calls[0].Command)
		}
		return name == about.Command && itemOf(command) == about.Item
	}
}

// menuNames returns the commands of a menu's lines.
func menuNames(c console, m *menu) func(job) bool {
	lines := linesNames(c, m.Shown(c.facts()))
	marked := m.Title == fmt.Sprintf("Hide %d marked", len(c.markedIDs()))
	return func(j job) bool {
		return lines(j) || marked && j.envelope != nil && model.CommandName(j.envelope.Command) == "Batch"
	}
}

func linesNames(c console, lines []menuLine) func(job) bool {
	var names []func(job) bool
	for _, l := range lines {
		switch r := l.Result.(type) {
		case apply:
			names = append(names, func(j job) bool {
				return j.envelope != nil && model.CommandName(j.envelope.Command) == model.CommandName(r.Command) && itemOf(j.envelope.Command) == itemOf(r.Command)
			})
		case job:
			if r.act != nil {
				names = append(names, func(j job) bool { return j.act != nil && j.act.Ref == r.act.Ref && j.act.Kind == r.act.Kind })
			}
		case run:
			names = append(names, c.actNames(action.ID(r)))
		}
	}
	return func(j job) bool { return slices.ContainsFunc(names, func(f func(job) bool) bool { return f(j) }) }
}

// actNames returns the command of an act on the item under the cursor.
func (c console) actNames(id action.ID) func(job) bool {
	switch at := c.files.at; {
	case c.ownPage() == screen.TabFiles && c.files.fileKey(id, at, c.agent) != nil:
		return func(j job) bool { return j.act != nil && j.act.Ref == at }
	case c.ownPage() == screen.TabChanges && (id == action.Message || id == action.Drop):
		return func(j job) bool {
			return j.envelope != nil && slices.Contains([]string{"SendComments", "CommentOn"}, model.CommandName(j.envelope.Command))
		}
	}
	if id == action.Posture { // the header names the agent
		return func(j job) bool {
			if j.envelope == nil {
				return false
			}
			u, ok := j.envelope.Command.(model.UpdateAgent)
			return ok && u.AgentID == c.agent
		}
	}
	if id == action.Do { // its name is in the hint line
		id = c.keys.Obvious(c.state())
	}
	marked := len(c.markedIDs()) > 0
	row := c.row()
	return func(j job) bool {
		if j.envelope == nil || !slices.Contains(commandsOf[id], model.CommandName(j.envelope.Command)) {
			return false
		}
		item := itemOf(j.envelope.Command)
		return item == "" || marked || row != nil && row.ID == item
	}
}
