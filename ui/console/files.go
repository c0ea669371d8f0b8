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

// files are the file todos beside the desk: those of the sessions of the repository that the
// operator works in, and those that items link to, wherever they lie. Whoever supplies them reads
// and writes the files and watches them. Todos are named by their full refs.
type files interface {
	// Read tells how the todos stand now, and those that links name.
	Read(ctx context.Context, links []model.TodoRef) FilesRead
	// Next waits until what Read found may have changed; it is called by one goroutine at a time.
	Next(context.Context) error
	// Finding reads one todo and the code that it speaks of.
	Finding(ctx context.Context, ref todo.Ref) Finding
	// Editor is the operator's editor at the line that a todo speaks of.
	Editor(ctx context.Context, ref todo.Ref) (*exec.Cmd, error)
	// Act carries out what the operator decided on one todo.
	Act(context.Context, FileAct) error
}

// What is read of the files, as the screen shows it.
type (
	FilesRead   = screen.FileTodos
	FileSession = screen.FileSession
	DamagedTodo = screen.DamagedTodo
	LinkedTodo  = screen.LinkedTodo
	Finding     = screen.Finding
)

// FilesOf puts the todos of sessions into one list.
func FilesOf(sessions ...FileSession) FilesRead { return screen.FileTodosOf(sessions...) }

// FileAct is what the operator decided on one file todo.
type FileAct struct {
	Kind fileActKind
	Ref  todo.Ref
	// Move says what a FileMove does; its actor and time are filled in by whoever carries
	// it out.
	Move todo.Move
	// Priority is what a FileRank gives.
	Priority todo.Priority
	// Agent is whose work item a FilePromote makes.
	Agent model.AgentID
}

// fileActKind is the kind of a FileAct.
type fileActKind string

// The kinds: a decision of triage, which moves it; beginning and ending work on it; another
// priority, a work item made of it, and the two undos.
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

// fileTodos is what the console knows of the files. It is replaced whole, and only by effects.
type fileTodos struct {
	screen.FileTodos
	// at is the todo on the page of files that keys are about.
	at todo.Ref
	// item is whose links were read; links are those of the newest request.
	item  model.ItemID
	links []model.TodoRef
	// gen counts what was read, so that a finding knows when it is old.
	gen             int
	known           bool
	underWay, again bool
	finding         screen.Finding
	// asked is the finding that is being read, or was last.
	asked findingKey
	// noted is the item and its revision whose derived rows the ledger has.
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

type filesMsg struct {
	item model.ItemID
	read FilesRead
}

func (e *effects) readFiles(item model.ItemID, links []model.TodoRef) tea.Cmd {
	return func() tea.Msg { return filesMsg{item, e.Files.Read(e.ctx, links)} }
}

func (e *effects) followFiles() tea.Cmd {
	if e.Files == nil {
		return nil
	}
	return e.following(e.Files.Next, (*console).readFiles)
}

func (e *effects) fileAct(seq int, a FileAct) tea.Cmd {
	return func() tea.Msg {
		err := e.Files.Act(e.ctx, a)
		return receiptMsg{seq: seq, at: e.now(), err: err}
	}
}

// linksNow are the links of the item under the cursor.
func (c *console) linksNow() (model.ItemID, []model.TodoRef) {
	if d := c.detail(); d != nil {
		return d.ID, d.Links.TodoRefs
	}
	return c.files.item, c.files.links
}

// readFiles reads the files, unless a reading is under way: then its answer starts the next.
func (c *console) readFiles() tea.Cmd {
	if c.fx.Files == nil {
		return nil
	}
	if c.files.underWay {
		c.files.again = true
		return nil
	}
	item, links := c.linksNow()
	c.files.underWay, c.files.again, c.files.links = true, false, links
	return c.fx.readFiles(item, links)
}

// relinked reads the files when the cursor's item links to others than those known.
func (c *console) relinked() tea.Cmd {
	item, links := c.linksNow()
	if c.fx.Files == nil || c.files.known && item == c.files.item && slices.Equal(links, c.files.links) {
		return c.noteRows()
	}
	return c.readFiles()
}

// noteRows tells the ledger how the rows stand that speak of linked todos, where it knows
// them otherwise: the counts in the queue and what agents read follow from there. It is
// tried once for what is on screen; the next who reads tries again.
func (c *console) noteRows() tea.Cmd {
	d := c.detail()
	if d == nil || d.State != model.Open || d.ID != c.files.item || c.files.noted == (subjectAt{d.ID, d.Revision}) {
		return nil
	}
	rows := todo.ChangedRows(d.TodoList, c.checklist(*d))
	if len(rows) == 0 {
		return nil
	}
	c.files.noted = subjectAt{d.ID, d.Revision}
	return c.fx.note(model.Envelope{Key: c.fx.newKey(), Actor: model.Watcher, Command: model.RefreshTodos{WorkItemID: d.ID, Rows: rows}})
}

// note applies what is bookkeeping: nobody waits for its answer.
func (e *effects) note(env model.Envelope) tea.Cmd {
	return func() tea.Msg {
		_, _ = e.Ledger.Apply(e.ctx, env)
		return nil
	}
}

// handle takes what a reading found.
func (m filesMsg) handle(c *console) tea.Cmd {
	c.files.FileTodos, c.files.item, c.files.known = m.read, m.item, true
	if open := m.read.Open(); len(open) > 0 && !slices.Contains(open, c.files.at) {
		c.files.at = open[0]
	}
	c.files.gen++
	c.files.underWay = false
	if c.files.again {
		return c.readFiles()
	}
	c.files.noted = subjectAt{}
	return c.noteRows()
}
