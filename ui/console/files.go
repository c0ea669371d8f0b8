package console

import (
	"context"
	"os/exec"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/todo"
	"vise/ui/console/screen"
)

// files are the file todos beside the desk: those of the sessions in the operator's repository, and those that
// items link to, in any place. The provider reads, writes and watches the files. Todos are named by their full
// refs.
type files interface {
	// Read returns the current todos, including those that links name.
	Read(ctx context.Context, links []model.TodoRef) FilesRead
	// Next waits until the result of Read may have changed. Only one goroutine calls it at a time.
	Next(context.Context) error
	// Finding reads one todo and the code that it refers to.
	Finding(ctx context.Context, ref todo.Ref) Finding
	// Editor is the command for the operator's editor at the line that a todo refers to.
	Editor(ctx context.Context, ref todo.Ref) (*exec.Cmd, error)
	// Act carries out the operator's decision on one todo.
	Act(context.Context, FileAct) error
}

// The data of the files, as the screen shows it.
type (
	FilesRead   = screen.FileTodos
	FileSession = screen.FileSession
	DamagedTodo = screen.DamagedTodo
	LinkedTodo  = screen.LinkedTodo
	Finding     = screen.Finding
)

// FilesOf joins the todos of sessions into one list.
func FilesOf(sessions ...FileSession) FilesRead { return screen.FileTodosOf(sessions...) }

// FileAct is the operator's decision on one file todo.
type FileAct struct {
	Kind fileActKind
	Ref  todo.Ref
	// Move is the change of a FileMove. The provider fills in its actor and time.
	Move todo.Move
	// Priority is the new priority of a FileRank.
	Priority todo.Priority
	// Agent is the agent that gets the work item of a FilePromote.
	Agent model.AgentID
}

// fileActKind is the kind of a FileAct.
type fileActKind string

// The kinds: a decision of the triage, which moves the todo; start and end of work on it; a new priority; a
// work item made from it; and the two undos.
const (
	FileMove      fileActKind = "move"
	FileStart     fileActKind = "start"
	FileComplete  fileActKind = "complete"
	FileInterrupt fileActKind = "interrupt"
	FileResume    fileActKind = "resume"
	FileRank      fileActKind = "rank"
	FilePromote   fileActKind = "promote"
	FileReopen    fileActKind = "reopen"
	FileUnapprove fileActKind = "unapprove"
)

// fileTodos is the console's data of the files. It is replaced as a whole, and only by effects.
type fileTodos struct {
	screen.FileTodos
	// at is the todo on the page of files that keys apply to.
	at todo.Ref
	// item is the item whose links were read. links are the links of the newest request.
	item  model.ItemID
	links []model.TodoRef
	// gen counts the reads, so that a finding is known to be out of date.
	gen             int
	known           bool
	underWay, again bool
	finding         screen.Finding
	// asked is the finding that is being read, or was read last.
	asked findingKey
	// noted is the item and revision for which the ledger has the derived rows.
	noted subjectAt
}

type subjectAt struct {
	item     model.ItemID
	revision uint64
}

type findingKey struct {
	ref todo.Ref
	gen int
}

// linksNow are the links of the item under the cursor.
func (c *console) linksNow() (model.ItemID, []model.TodoRef) {
	if d := c.detail(); d != nil {
		return d.ID, d.Links.TodoRefs
	}
	return c.files.item, c.files.links
}

// readFiles reads the files. If a read is in progress, the next one starts when it ends.
func (c *console) readFiles() {
	if c.fx.Files == nil {
		return
	}
	if c.files.underWay {
		c.files.again = true
		return
	}
	item, links := c.linksNow()
	c.files.underWay, c.files.again, c.files.links = true, false, links
	fx := c.fx
	c.start(func() tea.Msg {
		read := fx.Files.Read(fx.ctx, links)
		return act(func(c *console) { filesRead(c, item, read) })
	})
}

// relinked reads the files if the links of the cursor's item are not the known ones.
func (c *console) relinked() {
	item, links := c.linksNow()
	if c.fx.Files == nil || c.files.known && item == c.files.item && slices.Equal(links, c.files.links) {
		c.noteRows()
		return
	}
	c.readFiles()
}

// noteRows updates the ledger's rows of linked todos if they are out of date. The counts in the queue and the
// agents' data depend on them. It tries once for each revision of the item on screen; the next reader tries
// again.
func (c *console) noteRows() {
	d := c.detail()
	if d == nil || d.State != model.Open || d.ID != c.files.item || c.files.noted == (subjectAt{d.ID, d.Revision}) {
		return
	}
	rows := todo.ChangedRows(d.TodoList, c.files.checklist(*d))
	if len(rows) == 0 {
		return
	}
	c.files.noted = subjectAt{d.ID, d.Revision}
	fx := c.fx
	note := model.Envelope{Key: fx.newKey(), Actor: model.Watcher, Command: model.RefreshTodos{WorkItemID: d.ID, Rows: rows}}
	c.start(func() tea.Msg {
		_, _ = fx.Ledger.Apply(fx.ctx, note) // nobody waits for its answer
		return nil
	})
}

// filesRead takes the result of a read.
func filesRead(c *console, item model.ItemID, read FilesRead) {
	x := &c.files
	x.FileTodos, x.item, x.known, x.underWay = read, item, true, false
	if open := read.Open(); len(open) > 0 && !slices.Contains(open, x.at) {
		x.at = open[0]
	}
	x.gen++
	if x.again {
		c.readFiles()
		return
	}
	x.noted = subjectAt{}
	c.noteRows()
}
