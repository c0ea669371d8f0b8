// Package run holds the verbs of the moving part of vise: words for an agent, answers,
// delegations, tasks and capabilities. Each turns its arguments into a command, hands it to
// the ledger, and shows the answer. Drivers and servers are in package long.
package run

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
)

// Env is what the verbs need of the program that they are part of.
type Env struct {
	// Open opens the ledger of the home, and Home says where that is. The program closes it.
	Open func(context.Context) (home.Ledger, error)
	Home func() (string, error)
	// OpenIn opens it for agents that work in directories of their own; nil is Open.
	OpenIn func(ctx context.Context, dirs map[model.AgentID]string) (home.Ledger, error)
	// Actor is who acts, Agent whom the command line names; empty for nobody.
	Actor func() (model.Actor, error)
	Agent func() (model.AgentID, error)
	// Config is the path of the configuration file.
	Config func() (string, error)
	Getenv func(string) string
	Now    func() time.Time
	NewKey func() string
	// Card tells where the work was left in the repository at dir; nil tells nothing.
	Card func(ctx context.Context, dir string, links []model.ThreadLink) thread.Card
	// Ran takes a command that a program ran in dir (empty: here) as a fact; nil takes none.
	Ran func(ctx context.Context, dir, execution, command string, exitStatus int)
	// Wake hints the ledger at commits of other processes until its context ends, and says in
	// the home that a scheduler runs; nil leaves the ledger to notice them.
	Wake func(context.Context)
	// Show gives the answer of a verb.
	Show func(*cobra.Command, Answer) error
	// Program is this program's own file, for tasks that outlive who asked for them.
	Program  func() (string, error)
	Out, Err io.Writer
}

// Answer is what a verb has to say, for machines and for people.
type Answer struct {
	Data     any
	Warnings []model.Warning
	// Text writes the same for people.
	Text func(io.Writer)
	// Failed: there is an answer, and it is not a good one.
	Failed bool
}

// Commands are the verbs that stand by themselves.
func Commands(e Env) []*cobra.Command {
	return []*cobra.Command{e.say(), e.answer(), e.delegate(), e.task()}
}

// TriggerCommands are the parts of `vise trigger` that handle capabilities.
func TriggerCommands(e Env) []*cobra.Command {
	return []*cobra.Command{e.triggerURL(), e.triggerList(), e.triggerRevoke()}
}

// Verb makes run the body of a command.
func (e Env) Verb(c *cobra.Command, run func(context.Context, []string) (Answer, error)) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		a, err := run(c.Context(), args)
		if err != nil {
			return err
		}
		return e.Show(c, a)
	}
	return c
}

// keyed gives a verb the flag --key.
func keyed(c *cobra.Command) *string {
	return c.Flags().String("key", "", "idempotency key: run again with the same key, it is done once")
}

// apply sends one command as whoever acts.
func (e Env) apply(ctx context.Context, key string, agent model.AgentID, c model.Command) (model.Receipt, error) {
	l, err := e.Open(ctx)
	if err != nil {
		return model.Receipt{}, err
	}
	actor, err := e.Actor()
	if err != nil {
		return model.Receipt{}, err
	}
	if key == "" {
		key = e.NewKey()
	}
	return l.Apply(ctx, model.Envelope{Key: key, Actor: actor, Agent: agent, Command: c})
}

// resolve finds the item that a reference means.
func (e Env) resolve(ctx context.Context, ref string) (model.ItemID, error) {
	l, err := e.Open(ctx)
	if err != nil {
		return "", err
	}
	return l.Resolve(ctx, ref)
}

// view reads the ledger once.
func (e Env) view(ctx context.Context, fn func(model.Reader) error) error {
	l, err := e.Open(ctx)
	if err != nil {
		return err
	}
	return l.View(ctx, fn)
}

// receipt answers with a receipt and one line for people.
func receipt(in model.Receipt, format string, args ...any) Answer {
	return Answer{Data: in, Warnings: in.Warnings, Text: func(w io.Writer) { fmt.Fprintf(w, format+"\n", args...) }}
}

// Misuse is an error of the command line.
func Misuse(field, format string, args ...any) *model.Error {
	return model.Refuse(model.CodeInvalid, format, args...).At(field)
}

// spoken joins the words of a command line into a text.
func spoken(words []string) model.Text { return model.Text(strings.Join(words, " ")) }
