// Package accessible is the console for those who listen to it or have a terminal that can only
// write lines: no screen, nothing that is redrawn, numbered menus, one line an event, and the
// acts of the same table. Each act is the command line's own verb, so that it is judged and
// answered in one place.
//
// Read this file (a session), input.go (questions and menus), then menus.go (where one can go)
// and acts.go (what can be done there). notHere says which actions of the screen's console
// have no menu, and why.
package accessible

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/model/todo"
	"vise/ui/config"
)

// Options are what a session is started with.
type Options struct {
	In  io.Reader
	Out io.Writer
	// Run carries out a verb of the command line with stdin as its input. What it says goes to
	// the same Out, errors too; the exit code tells whether it was done, inverse what takes it
	// back, if anything does.
	Run func(ctx context.Context, stdin string, args ...string) (code int, inverse *model.Undo)
	Ledger
	// Sources are what the session reads beside the ledger.
	Sources
	// Agent is whose work is shown first; empty: the first one known.
	Agent model.AgentID
	// Settings are the operator's: filters, and commands of their own.
	Settings config.Settings
	Now      func() time.Time
	NewKey   func() string
}

// Ledger is what a session needs of the ledger.
type Ledger interface {
	Apply(context.Context, model.Envelope) (model.Receipt, error)
	View(context.Context, func(model.Reader) error) error
	// Follow waits until the ledger is past a revision.
	Follow(ctx context.Context, after uint64) (uint64, error)
}

// session is one run of it.
type session struct {
	Options
	in    *bufio.Reader
	agent model.AgentID
	// history is what can be taken back, inverse what takes the verb that ran last back.
	history model.UndoHistory
	inverse *model.Undo
	// triage is what was decided on findings in this session.
	triage triage
	// kept are the texts that were written for an act that was not done.
	kept map[string]string
	// menu are the lines of the menu that was said last.
	menu string
	// walks takes the place of the person who chooses from menus; nil: they are asked.
	walks func(ctx context.Context, title string, options []option) (done bool, err error)

	mu sync.Mutex // one writer at a time; protects news
	// news knows the events that were said, or were made here.
	news model.News
}

// errQuit ends a session.
type errQuit struct{}

func (errQuit) Error() string { return "quit" }

// Run talks until the operator quits, the input ends or ctx does.
func Run(ctx context.Context, e Options) error {
	s := &session{Options: e, in: bufio.NewReaderSize(e.In, maxLine), agent: e.Agent}
	ctx, stop := context.WithCancel(ctx)
	if err := s.retryBusy(ctx, func() error { return s.begin(ctx) }); err != nil {
		stop()
		return ended(err)
	}
	var following sync.WaitGroup
	following.Go(func() { s.follow(ctx) })
	defer following.Wait()
	defer stop()
	s.say("vise, one line at a time. Answer with a number, or with the first words of a line; " +
		"? says the choices again, b goes back, q quits.")
	err := s.firstMenu(ctx)
	if ctx.Err() != nil {
		err = errQuit{}
	}
	if ended(err) == nil {
		s.say("Bye.")
	}
	return ended(err)
}

// ended is what a session's end is to whoever began it: to quit is no error.
func ended(err error) error {
	if _, quit := err.(errQuit); quit {
		return nil
	}
	return err
}

// retryBusy does something again for as long as somebody else holds the ledger and the
// operator wants it.
func (s *session) retryBusy(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !errors.Is(err, &model.Error{Code: model.CodeBusy}) {
			return err
		}
		s.unread(err)
		in, err := s.ask(ctx, "Enter tries again, q quits:")
		if err != nil {
			return err
		}
		if in == "q" {
			return errQuit{}
		}
	}
}

// begin learns the agent and the revision.
func (s *session) begin(ctx context.Context) error {
	return s.View(ctx, func(r model.Reader) error {
		s.news = model.NewsFrom(r, "")
		if agents := r.Agents("", 1); s.agent == "" && len(agents) > 0 {
			s.agent = agents[0].ID
		}
		return nil
	})
}

// run carries out a verb for the agent. Its own events are not said again.
func (s *session) run(ctx context.Context, stdin string, args ...string) error {
	_, err := s.ran(ctx, stdin, args...)
	return err
}

// ran is run, and whether it was done.
func (s *session) ran(ctx context.Context, stdin string, args ...string) (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	code, inverse := s.Run(ctx, stdin, append([]string{"--agent", string(s.agent), "--actor", string(model.Operator), "--no-color"},
		args...)...)
	s.inverse = inverse
	s.heard(ctx)
	return code == 0, ctx.Err()
}

// heard leaves out what happened so far. If it cannot be read, the session's own events are said too.
func (s *session) heard(ctx context.Context) {
	var news model.News
	if err := s.View(ctx, func(r model.Reader) error { news = model.NewsFrom(r, ""); return nil }); err == nil {
		s.news = news
	}
}

// follow tells what others do, a line an event, until ctx ends.
func (s *session) follow(ctx context.Context) {
	for after := uint64(0); ; {
		rev, err := s.Follow(ctx, after)
		if err != nil {
			return
		}
		after = rev
		s.notify(ctx)
	}
}

// maxEvents bounds the events said at once; the rest is a number.
const maxEvents = 20

func (s *session) notify(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.View(ctx, func(r model.Reader) error {
		list, news, all := s.news.Next(r, maxEvents+1)
		for _, e := range list[:min(len(list), maxEvents)] {
			fmt.Fprintf(s.Out, "\nEvent %s\n", eventWords(r, e))
		}
		if s.news = news; !all {
			fmt.Fprintln(s.Out, "More happened; Activity tells.")
			s.news = model.NewsFrom(r, "")
		}
		return nil
	})
}

// eventWords are an event in one line.
func eventWords(r model.Reader, e model.Entry) string {
	about := model.Text(e.AgentID)
	if w, ok := r.Item(e.WorkItemID); ok {
		about = model.Text(w.Handle)
	}
	return fmt.Sprintf("%s: %s %s, by %s", e.At.Local().Format("15:04:05"), about, e.Describe(), model.Text(e.Actor))
}

// Sources are what a session reads and runs beside the ledger. Each may be nil: then what needs it
// is not offered, or says that it is not there.
type Sources struct {
	Plans    plans
	Findings findings
	Threads  threads
	// Clip puts a text where it can be pasted from, and says in a sentence where that is.
	Clip func(ctx context.Context, what, text string) string
	// RunOwn runs a command of the operator's own, and returns what it wrote.
	RunCustom func(ctx context.Context, argv []string, stdin []byte) (string, error)
	// SaveFilter puts a filter into the configuration.
	SaveFilter func(ctx context.Context, name, words string) error
	// Against is what speaks against completing an item with these threads.
	Against func([]model.ThreadLink) []model.Warning
}

// plans are the plan files, and the operator's editor.
type plans interface {
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
	// stale says that it has not. SaveCopy writes text next to it.
	SavePlan(ctx context.Context, agent model.AgentID, id model.ItemID, base, text string) error
	SaveCopy(ctx context.Context, agent model.AgentID, id model.ItemID, text string) (path string, err error)
	// Editor opens a file in the operator's editor, on the session's own terminal.
	Editor(path string) (*exec.Cmd, error)
}

// findings are the file todos of the repository around the session.
type findings interface {
	// Session names the session that they lie in; empty when there is none.
	Session(context.Context) (name model.Text, all []todo.Todo)
	// Describe is what a finding says and the code that it speaks of, a line each.
	Describe(context.Context, todo.Ref) []model.Text
	// Open are the todos behind links that are not over.
	Open(context.Context, []model.TodoRef) []todo.Todo
}

// threads are where work was left.
type threads interface {
	All(context.Context) []thread.Overview
	// Record makes the command that runs argv in a repository and takes its end into the
	// active thread there.
	Record(repo model.Text, argv []string) (*exec.Cmd, error)
}
