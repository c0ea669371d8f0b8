package console

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/todo"
	"vise/store/home"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// ownPage is the tab of the detail that has its own meanings for the Desk's keys; -1 if it is not open, or has not the keys.
func (c *console) ownPage() screen.Tab {
	open := c.layers.top() == nil && c.view == viewDesk && c.focus == paneDetail
	switch c.tab {
	case screen.TabFiles:
		open = open && len(c.files.Open()) > 0
	case screen.TabReport:
		d := c.detail()
		_, ok := c.talk.sessionOf(c.shown())
		open = open && ok && d != nil && d.Report != nil
	case screen.TabChanges, screen.TabSession:
	default:
		open = false
	}
	if open {
		return c.tab
	}
	return -1
}

// actOnPage carries out what an action means on the detail's page, for the todo or the line at the cursor. It reports whether it means
// something there.
func (c *console) actOnPage(id action.ID) bool {
	switch c.ownPage() {
	case screen.TabFiles:
		m := c.files.fileKey(id, c.files.at, c.agent)
		if m != nil {
			c.execute(m)
		}
		return m != nil
	case screen.TabChanges:
		at := slices.IndexFunc(changesActs, func(x changesAct) bool { return x.id == id })
		if at < 0 {
			return false
		}
		changesActs[at].on(c)
		return true
	case screen.TabSession:
		if s, _ := c.talk.sessionOf(c.shown()); id == action.Do && s.State == home.SessionAsks {
			answerInSession(c)
			return true
		}
		v := c.detailView()
		step := map[action.ID]int{action.Earlier: 1, action.Later: -1, action.NextMatch: 1, action.PrevMatch: -1}[id]
		switch {
		case v.Session == nil || len(v.Session.Parts) == 0:
			return false
		case id == action.Open:
			c.talk.shown = v.UnfoldPart()
		case id == action.Earlier, id == action.Later:
			earlierSession(c, step)
		case step != 0:
			nextTurn(c, step)
		default:
			return false
		}
		return true
	case screen.TabReport:
		if id == action.Open {
			toSaid(c)
			return true
		}
	}
	return false
}

// pageHints are the hints of the detail's page.
func pageHints(c *console) (out []action.Action) {
	add := func(id action.ID, word string) {
		a := c.keys.ByID(id)
		if a.Hint = word; word != "" {
			out = append(out, a)
		}
	}
	switch c.ownPage() {
	case screen.TabFiles:
		for _, x := range action.OfFiles {
			add(x.ID, x.Hint)
		}
	case screen.TabChanges:
		for _, x := range changesActs {
			add(x.id, x.word)
		}
	case screen.TabSession:
		add(action.Open, "unfold")
		if s, _ := c.talk.sessionOf(c.shown()); s.State == home.SessionAsks {
			add(action.Do, "answer")
		}
		add(action.NextMatch, "next turn")
		add(action.Earlier, "earlier session")
	case screen.TabReport:
		add(action.Open, "where it was said")
	}
	return out
}

// move moves the cursor on the page of files.
func (x *fileTodos) move(n int) {
	x.at = screen.List[todo.Ref]{Order: x.Open(), Cursor: x.at}.Step(n).Cursor
}

// fileKey is the result of a key for a todo; nil if the key means nothing there.
func (x fileTodos) fileKey(id action.ID, r todo.Ref, agent model.AgentID) message {
	t, ok := x.Find(r)
	label := x.Label(r)
	job := func(kind fileActKind, m todo.Move, said string) message {
		return job{act: &FileAct{Kind: kind, Ref: r, Move: m, Agent: agent}, said: said + " " + label}
	}
	switch {
	case id == action.EditPlan, id == action.Open:
		return openFile(r)
	case id == action.Do:
		id = action.Pick
	}
	switch {
	case !slices.ContainsFunc(action.OfFiles, func(x action.OfFile) bool { return x.ID == id }):
		return nil
	case !ok:
		return trouble(label + " cannot be read now")
	case t.Status.Final():
		return trouble(label + " is over")
	case id == action.Pick:
		return job(FileStart, todo.Move{Approve: true}, "Started")
	case id == action.Block && t.Status.Resumable():
		return job(FileResume, todo.Move{}, "Ready again:")
	case id == action.Block:
		return job(FileInterrupt, todo.Move{Reason: "Laid down by you"}, "Interrupted")
	case id == action.Complete:
		return opens{completingFile(t, label, job)}
	case agent == "":
		return trouble("the ledger knows no agent yet")
	}
	return job(FilePromote, todo.Move{}, fmt.Sprintf("A work item of %s was made of", model.Text(agent)))
}

// completingFile asks what fixed a todo.
func completingFile(t todo.Todo, label string, job func(fileActKind, todo.Move, string) message) dialog {
	var how todo.Move
	return &form{
		Title:  "Complete " + label,
		Head:   func(x facts) []string { return append(x.Wrapped(t.Title, x.Inner(), x.Strong), "") },
		Fields: []formField{lineField("What fixed it", model.MaxReason, &how.Reason, "say what fixed it")},
		Foot:   "{open} complete · {back} cancel",
		Submit: func(facts) message { return job(FileComplete, how, "Completed") },
	}
}

// openFile opens a todo's code in the operator's editor.
func openFile(r todo.Ref) act {
	return func(c *console) {
		fx := c.fx
		c.start(attempt(func() (tea.Msg, error) {
			cmd, err := fx.Files.Editor(fx.ctx, r)
			return act(func(c *console) { c.start(onTerminal(cmd, func(err error) tea.Msg { return editedMsg{err} })) }), err
		}))
	}
}
