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

// pageAct is what an action of the Desk does on the detail's page, with its word for the hint line; after a colon is what only help says.
type pageAct struct {
	id   action.ID
	word string
	do   act
}

// pageActs are the actions with a meaning of their own on the detail's page, in the order of the hint line: for the todo, the line or the
// part at the cursor. There are none if the page has not the keys.
func pageActs(c *console) (out []pageAct) {
	if c.layers.top() != nil || c.view != viewDesk || c.focus != paneDetail {
		return nil
	}
	add := func(id action.ID, word string, do act) { out = append(out, pageAct{id, word, do}) }
	session, ok := c.talk.sessionOf(c.shown())
	switch c.tab {
	case screen.TabFiles:
		if len(c.files.Open()) == 0 {
			return nil
		}
		file := func(id action.ID) act {
			return func(c *console) { c.execute(c.files.fileKey(id, c.files.at, c.agent)) }
		}
		for _, x := range action.OfFiles {
			add(x.ID, x.Hint+": "+x.Does, file(x.ID))
		}
		add(action.Open, "", file(action.Open))
		add(action.Do, "", file(action.Do))
	case screen.TabChanges:
		return changesActs
	case screen.TabSession:
		if session.State == home.SessionAsks {
			add(action.Do, "answer", answerInSession)
		}
		if v := c.detailView(); v.Session != nil && len(v.Session.Parts) > 0 {
			add(action.Open, "unfold", func(c *console) { c.talk.shown = c.detailView().UnfoldPart() })
			add(action.NextMatch, "next turn", nextTurn(1))
			add(action.PrevMatch, "", nextTurn(-1))
			add(action.Earlier, "earlier session", earlierSession(1))
			add(action.Later, "", earlierSession(-1))
		}
	case screen.TabReport:
		if d := c.detail(); ok && d != nil && d.Report != nil {
			add(action.Open, "where it was said", toSaid)
		}
	}
	return out
}

// ownPage is the tab of the detail that has its own meanings for the Desk's keys; -1 if there is none.
func (c *console) ownPage() screen.Tab {
	if len(pageActs(c)) > 0 {
		return c.tab
	}
	return -1
}

// onPage is what an action means on the detail's page.
func onPage(c *console, id action.ID) (x pageAct, ok bool) {
	all := pageActs(c)
	at := slices.IndexFunc(all, func(x pageAct) bool { return x.id == id })
	if at < 0 {
		return x, false
	}
	return all[at], true
}

// actHere carries out what an action means on the detail's page, or else in the view.
func actHere(c *console, id action.ID) {
	if x, ok := onPage(c, id); ok {
		x.do(c)
		return
	}
	c.act(id)
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
