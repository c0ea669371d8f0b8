package accessible

import (
	"context"
	"os/exec"

	"vise/model"
	"vise/model/thread"
	"vise/model/todo"
)

// Sources are what a session reads and runs beside the ledger. Each may be nil: then what needs it
// is not offered, or says that it is not there.
type Sources struct {
	Plans    Plans
	Findings Findings
	Threads  Threads
	// Clip puts a text where it can be pasted from, and says in a sentence where that is.
	Clip func(ctx context.Context, what, text string) string
	// RunOwn runs a command of the operator's own, and returns what it wrote.
	RunCustom func(ctx context.Context, argv []string, stdin []byte) (string, error)
	// SaveFilter puts a filter into the configuration.
	SaveFilter func(ctx context.Context, name, words string) error
	// Against is what speaks against completing an item with these threads.
	Against func([]model.ThreadLink) []model.Warning
}

// Plans are the plan files, and the operator's editor.
type Plans interface {
	// Plan reads a plan as it is now.
	Plan(agent model.AgentID, id model.ItemID) (model.PlanArtifact, model.Text)
	// Seen is a plan as the operator saw it last; false when that is not known. Keep keeps it.
	Seen(context.Context, model.ItemID) (model.Text, bool)
	Keep(context.Context, model.ItemID, model.Text) error
	// Copy puts text into a file of its own, Read reads it back, Drop forgets it.
	Copy(ctx context.Context, name, text string) (path string, err error)
	Read(ctx context.Context, path string) (string, error)
	Drop(ctx context.Context, path string)
	// SavePlan writes a plan if its file still has the hash base; a refusal with the code
	// stale says that it has not. Beside writes text next to it.
	SavePlan(ctx context.Context, agent model.AgentID, id model.ItemID, base, text string) error
	Beside(ctx context.Context, agent model.AgentID, id model.ItemID, text string) (path string, err error)
	// Editor opens a file in the operator's editor, on the session's own terminal.
	Editor(path string) (*exec.Cmd, error)
}

// Findings are the file todos of the repository around the session.
type Findings interface {
	// Session names the session that they lie in; empty when there is none.
	Session(context.Context) (name model.Text, all []todo.Todo)
	// Tell is what a finding says and the code that it speaks of, a line each.
	Tell(context.Context, todo.Ref) []model.Text
	// Open are the todos behind links that are not over.
	Open(context.Context, []model.TodoRef) []todo.Todo
}

// Threads are where work was left.
type Threads interface {
	All(context.Context) []thread.Overview
	// Record makes the command that runs argv in a repository and takes its end into the
	// active thread there.
	Record(repo model.Text, argv []string) (*exec.Cmd, error)
}
