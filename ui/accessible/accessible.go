// Package accessible is the console for people who use a screen reader, and for terminals that can only write lines. It has no full screen
// and redraws nothing: it shows numbered menus, and one line for each event. What it shows is the output of a verb of the command line, and
// its acts are the verbs of the console's table: it asks for the arguments and flags of such a verb, one line each, and runs it, so that
// rules and answers are in one place. Of its own it has only the lists of work items, agents and needs, from which one is chosen.
//
// Read this file (a session), input.go (questions and menus), form.go (what a verb asks for), then menus.go (the lists and the acts).
package accessible

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"vise/model"
	"vise/ui/config"
)

// Options are the inputs of a session.
type Options struct {
	In  io.Reader
	Out io.Writer
	// Run carries out a command of the command line with stdin as its input. Its output and errors go to the same Out. It returns the exit
	// code.
	Run func(ctx context.Context, stdin io.Reader, args ...string) int
	// Form returns what a command of the command line asks for.
	Form func(verb string) Form
	// RunCustom runs a command of the operator's own and returns its output.
	RunCustom func(ctx context.Context, argv []string, stdin []byte) (string, error)
	Ledger
	// Agent is the agent whose work is shown first; if empty, the first known agent.
	Agent model.AgentID
	// Settings hold the operator's filters and custom commands.
	Settings config.Settings
	Now      func() time.Time
}

// Ledger is the part of the ledger that a session needs.
type Ledger interface {
	View(context.Context, func(model.Reader) error) error
	// Follow waits until the ledger is past a revision, or what is wrong with it changes.
	Follow(ctx context.Context, after uint64) (uint64, error)
	// Conditions returns what is wrong with the home.
	Conditions(context.Context) []model.Condition
	// Damage returns what was found to be damaged.
	Damage() []model.Warning
}

// dialogue is one run of the console of lines.
type dialogue struct {
	Options
	in    *bufio.Reader
	agent model.AgentID
	// kept holds what was given to verbs that did not succeed, by the verb and what it is about.
	kept map[string]values
	// menu holds the lines of the last menu.
	menu string
	mu   sync.Mutex // one writer at a time; protects news
	// news knows which events were already shown, or were caused here.
	news model.News
	// wrong is what was wrong with the home when that was last told.
	wrong []model.Condition
}

// errQuit ends a session.
var errQuit = errors.New("quit")

// Run runs a session until the operator quits, the input ends or ctx ends.
func Run(ctx context.Context, e Options) error {
	s := newDialogue(e)
	ctx, stop := context.WithCancel(ctx)
	var following sync.WaitGroup
	defer func() { stop(); following.Wait() }()
	err := s.retryBusy(ctx, func() error { return s.begin(ctx) })
	if err == nil {
		following.Go(func() { s.follow(ctx) })
		s.say("vise, one line at a time. Answer with a number, or with the first words of a line; " +
			"? says the choices again, b goes back, q quits.")
		err = s.firstMenu(ctx)
	}
	if ctx.Err() != nil || err == errQuit {
		s.say("Bye.")
		return nil
	}
	return err
}

func newDialogue(e Options) *dialogue {
	return &dialogue{Options: e, in: bufio.NewReaderSize(e.In, maxLine), agent: e.Agent, kept: map[string]values{}}
}

// retryBusy repeats do while another process holds the ledger and the operator wants to try again.
func (s *dialogue) retryBusy(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !model.HasCode(err, model.CodeBusy) {
			return err
		}
		s.unread(err)
		in, err := s.ask(ctx, "Enter tries again, q quits:")
		if err != nil {
			return err
		}
		if in == "q" {
			return errQuit
		}
	}
}

// begin determines the agent and the revision.
func (s *dialogue) begin(ctx context.Context) error {
	s.wrong = s.Conditions(ctx) // told before the session
	return s.View(ctx, func(r model.Reader) error {
		s.news = model.NewsFrom(r, "")
		if agents := r.Agents("", 1); s.agent == "" && len(agents) > 0 {
			s.agent = agents[0].ID
		}
		return nil
	})
}

// run carries out a command for the agent, with the words of input, and reports whether it succeeded. The events that it causes are not
// shown again.
func (s *dialogue) run(ctx context.Context, input string, args ...string) (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stdin := io.Reader(strings.NewReader(input))
	if len(args) > 1 && args[1] == "edit" { // the editor uses the terminal
		stdin = s.In
	}
	code := s.Run(ctx, stdin, append([]string{"--agent", string(s.agent), "--actor", string(model.Operator), "--no-color"}, args...)...)
	s.heard(ctx)
	return code == 0, ctx.Err()
}

// running returns a function that runs a command.
func (s *dialogue) running(args ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := s.run(ctx, "", args...)
		return err
	}
}

// heard marks all events so far as shown. If the ledger cannot be read, the session's own events are shown too.
func (s *dialogue) heard(ctx context.Context) {
	var news model.News
	if err := s.View(ctx, func(r model.Reader) error { news = model.NewsFrom(r, ""); return nil }); err == nil {
		s.news = news
	}
}

// follow shows other processes' events, one line each, until ctx ends.
func (s *dialogue) follow(ctx context.Context) {
	for after := uint64(0); ; {
		rev, err := s.Follow(ctx, after)
		if err != nil {
			return
		}
		after = rev
		s.notify(ctx)
	}
}

// maxEvents bounds the events shown at once; the rest are only counted.
const maxEvents = 20

func (s *dialogue) notify(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tellWrong(ctx)
	_ = s.View(ctx, func(r model.Reader) error {
		list, news, all := s.news.Next(r, maxEvents+1)
		for _, e := range model.Acts(list[:min(len(list), maxEvents)]) {
			fmt.Fprintf(s.Out, "\nEvent %s\n", eventWords(r, e))
		}
		s.news = news
		if !all {
			fmt.Fprintln(s.Out, "More happened; Activity tells.")
			s.news = model.NewsFrom(r, "")
		}
		return nil
	})
}

// tellWrong tells what has begun to be wrong with the home, and what no longer is.
func (s *dialogue) tellWrong(ctx context.Context) {
	now := s.Conditions(ctx)
	among := func(list []model.Condition, x model.Condition) bool {
		return slices.ContainsFunc(list, func(y model.Condition) bool { return y.Code == x.Code })
	}
	for _, x := range now {
		if !among(s.wrong, x) {
			fmt.Fprintf(s.Out, "\nHome: %s; %s\n", model.Text(x.Message), model.Text(x.Hint))
		}
	}
	for _, x := range s.wrong {
		if !among(now, x) {
			fmt.Fprintf(s.Out, "\nHome: no longer: %s\n", model.Text(x.Message))
		}
	}
	s.wrong = now
}

// eventWords returns an act in one line.
func eventWords(r model.Reader, e model.Act) string {
	about := model.Text(e.AgentID)
	if w, ok := r.Item(e.WorkItemID); ok {
		about = model.Text(w.Handle)
	}
	return fmt.Sprintf("%s: %s %s, by %s", e.At.Local().Format("15:04:05"), about, e.Describe(), model.By(e.Actor, e.Person))
}
