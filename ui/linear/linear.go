// Package linear is the console for those who listen to it or have a terminal that can only
// write lines: no screen, nothing that is redrawn, numbered menus, one line an event, and
// the same acts from the same table. Each act is the command line's own verb, so that what
// is said of it is said in one place.
//
// Read this file (what a session is), then menus.go (where one can go) and acts.go (what
// can be done there).
package linear

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"vise/model"
)

// Env is what a session stands on.
type Env struct {
	In  io.Reader
	Out io.Writer
	// Run carries out a verb of the command line with stdin as its input. What it says goes to
	// the same Out, errors too; the exit code tells whether it was done.
	Run func(ctx context.Context, stdin string, args ...string) int
	// View reads the ledger at one revision, Follow waits until it is past a revision.
	View   func(context.Context, func(model.Reader) error) error
	Follow func(ctx context.Context, after uint64) (uint64, error)
	// Agent is whose work is shown first; empty: the first one known.
	Agent model.AgentID
	// Filters are the operator's saved filters, by name.
	Filters map[string]string
	Now     func() time.Time
}

// session is one run of it.
type session struct {
	Env
	in    *bufio.Reader
	agent model.AgentID

	mu sync.Mutex // one writer at a time; protects told
	// told is the revision up to which events were told, or were made here.
	told uint64
}

// errQuit ends a session.
type errQuit struct{}

func (errQuit) Error() string { return "quit" }

// Run talks until the operator quits, the input ends or ctx does.
func Run(ctx context.Context, e Env) error {
	s := &session{Env: e, in: bufio.NewReaderSize(e.In, maxLine), agent: e.Agent}
	ctx, stop := context.WithCancel(ctx)
	if err := s.begin(ctx); err != nil {
		stop()
		return err
	}
	var following sync.WaitGroup
	following.Go(func() { s.follow(ctx) })
	defer following.Wait()
	defer stop()
	s.say("vise, one line at a time. Answer with a number; ? says the choices again, b goes back, q quits.")
	err := s.home(ctx)
	if _, quit := err.(errQuit); quit || ctx.Err() != nil {
		s.say("Bye.")
		return nil
	}
	return err
}

// begin learns the agent and the revision.
func (s *session) begin(ctx context.Context) error {
	return s.View(ctx, func(r model.Reader) error {
		s.told = r.Revision()
		if agents := r.Agents("", 1); s.agent == "" && len(agents) > 0 {
			s.agent = agents[0].ID
		}
		return nil
	})
}

// maxLine bounds a line of input, in bytes.
const maxLine = 64 << 10

// say writes a line. Texts from outside get here as model.Text, which fmt makes safe.
func (s *session) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.Out, format+"\n", args...)
}

// ask writes a question and reads a line. Nothing reads the input between two questions, so
// that an editor can have the terminal.
func (s *session) ask(ctx context.Context, question string) (string, error) {
	s.mu.Lock()
	fmt.Fprint(s.Out, question+" ")
	s.mu.Unlock()
	type line struct {
		text string
		err  error
	}
	got := make(chan line, 1)
	go func() {
		text, err := s.in.ReadString('\n')
		if err == io.EOF && text != "" {
			err = nil
		}
		got <- line{strings.TrimSpace(text), err}
	}()
	select {
	case l := <-got:
		if l.err != nil {
			return "", errQuit{} // the input has ended
		}
		return l.text, nil
	case <-ctx.Done():
		return "", errQuit{}
	}
}

// lines reads a text of several lines, which a line with a single dot ends.
func (s *session) lines(ctx context.Context, question string) (string, error) {
	s.say("%s End with a line that is a single dot.", question)
	var out []string
	for {
		l, err := s.ask(ctx, ">")
		if err != nil {
			return "", err
		}
		if l == "." {
			return strings.TrimSpace(strings.Join(out, "\n")), nil
		}
		out = append(out, l)
	}
}

// option is a line of a menu.
type option struct {
	words string
	do    func(context.Context) error
}

// choose offers options until one is taken, and carries it out. done is true when the
// operator went back instead.
func (s *session) choose(ctx context.Context, title string, options []option) (done bool, err error) {
	show := func() {
		s.say("")
		s.say("%s", title)
		for i, o := range options {
			s.say("%d. %s", i+1, o.words)
		}
	}
	for show(); ; {
		in, err := s.ask(ctx, "Choose:")
		if err != nil {
			return false, err
		}
		n, numErr := strconv.Atoi(in)
		switch {
		case in == "q":
			return false, errQuit{}
		case in == "b", in == "0":
			return true, nil
		case in == "?" || in == "":
			show()
		case numErr == nil && n >= 1 && n <= len(options):
			return false, options[n-1].do(ctx)
		default:
			s.say("%s is no choice: a number from 1 to %d, ?, b or q.", model.Text(in), len(options))
		}
	}
}

// yes asks before what is final.
func (s *session) yes(ctx context.Context, question string) (bool, error) {
	in, err := s.ask(ctx, question+" yes or no:")
	return strings.EqualFold(in, "yes") || strings.EqualFold(in, "y"), err
}

// run carries out a verb for the agent. Its own events are not told again.
func (s *session) run(ctx context.Context, stdin string, args ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Run(ctx, stdin, append([]string{"--agent", string(s.agent), "--actor", string(model.Operator), "--no-color"}, args...)...)
	return s.View(ctx, func(r model.Reader) error {
		s.told = max(s.told, r.Revision())
		return nil
	})
}

// follow tells what others do, a line an event, until ctx ends.
func (s *session) follow(ctx context.Context) {
	after := s.told
	for {
		rev, err := s.Follow(ctx, after)
		if err != nil {
			return
		}
		after = rev
		s.tell(ctx)
	}
}

// maxTold bounds the events told at once; the rest is a number.
const maxTold = 20

func (s *session) tell(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.View(ctx, func(r model.Reader) error {
		list := r.History("", model.Position{Revision: s.told, N: 1 << 30}, maxTold+1)
		for _, e := range list[:min(len(list), maxTold)] {
			handle := model.Text(e.AgentID)
			if w, ok := r.Item(e.WorkItemID); ok {
				handle = model.Text(w.Handle)
			}
			fmt.Fprintf(s.Out, "\nEvent %s: %s %s, by %s\n", e.At.Local().Format("15:04:05"), handle, e.Tell(), model.Text(e.Actor))
		}
		if len(list) > maxTold {
			fmt.Fprintln(s.Out, "More happened; What happened lately tells.")
		}
		s.told = r.Revision()
		return nil
	})
}
