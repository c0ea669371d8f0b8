package console

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/todo"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// pageKeys is the context of the keys for the detail's page: files for the todo at the cursor, changes for the
// line at the cursor; empty while the pane does not have the focus.
func (c *console) pageKeys() action.Context {
	switch {
	case c.layers.top() != nil || c.view != viewDesk || c.focus != paneDetail:
	case c.tab == screen.TabFiles && len(c.files.Open()) > 0:
		return action.Files
	case c.tab == screen.TabChanges:
		return action.Diff
	}
	return ""
}

// move moves the cursor on the page of files.
func (x *fileTodos) move(n int) {
	x.at = screen.List[todo.Ref]{Order: x.Open(), Cursor: x.at}.Step(n).Cursor
}

// fileChanges are the keys that change a todo.
var fileChanges = []action.ID{action.FileStart, action.FileComplete, action.FileBlock, action.FilePromote}

// fileKey is the result of a key for a todo; nil if the key means nothing there.
func (x fileTodos) fileKey(id action.ID, r todo.Ref, agent model.AgentID) message {
	t, ok := x.Find(r)
	label := x.Label(r)
	job := func(kind fileActKind, m todo.Move, said string) message {
		return job{act: &FileAct{Kind: kind, Ref: r, Move: m, Agent: agent}, said: said + " " + label}
	}
	switch {
	case id == action.FileOpen:
		return openFile(r)
	case !slices.Contains(fileChanges, id):
		return nil
	case !ok:
		return trouble(label + " cannot be read now")
	case t.Status.Final():
		return trouble(label + " is over")
	case id == action.FileStart:
		return job(FileStart, todo.Move{Approve: true}, "Started")
	case id == action.FileBlock && t.Status.Resumable():
		return job(FileResume, todo.Move{}, "Ready again:")
	case id == action.FileBlock:
		return job(FileInterrupt, todo.Move{Reason: "Laid down by you"}, "Interrupted")
	case id == action.FileComplete:
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
		Foot:   "{submit-line} complete · {close} cancel",
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
