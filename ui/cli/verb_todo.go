package cli

import (
	"context"
	"os"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
	"vise/ui/todo"
)

// todoVerb is vise todo, the door of file todos, on this program's ledger and flags.
func (a *app) todoVerb() *cobra.Command {
	host, _ := os.Hostname()
	return todo.Command(todo.Env{
		Dir: workingDir(), Now: a.now, Host: host, Who: a.fileActor, Limits: a.todoLimits, NewID: func() string { return ulid.Make().String() },
		Stdin: a.in, Stdout: a.out, Stderr: a.err, Work: work{a},
	})
}

// fileActor is who acts, as files name them: the operator is the user.
func (a *app) fileActor() (file.Actor, error) {
	actor, err := a.actor()
	if err != nil {
		return file.Actor{}, err
	}
	return home.FileActor(actor), nil
}

// work is the ledger as vise todo sees it.
type work struct{ *app }

// Find is part of todo.Work.
func (w work) Find(ctx context.Context, ref string) (model.View, error) {
	id, err := w.resolve(ctx, ref)
	if err != nil {
		return model.View{}, err
	}
	return w.view(ctx, id)
}

func (a *app) view(ctx context.Context, id model.ItemID) (v model.View, err error) {
	err = a.read(ctx, func(r model.Reader) error {
		v = home.ViewOf(r, id)
		return nil
	})
	return v, err
}

// Create is part of todo.Work: like vise new it makes the home where none is.
func (w work) Create(ctx context.Context, key string, agent model.AgentID, c model.CreateWorkItem) (model.View, error) {
	if _, _, err := w.openOrCreate(); err != nil {
		return model.View{}, err
	}
	if agent == "" {
		if err := w.read(ctx, func(r model.Reader) (err error) {
			agent, err = w.agentOf(r)
			return err
		}); err != nil {
			return model.View{}, err
		}
	}
	in, err := w.apply(ctx, mutation{key: key}, agent, c)
	if err != nil {
		return model.View{}, err
	}
	return w.view(ctx, in.WorkItemID)
}

// Link is part of todo.Work.
func (w work) Link(ctx context.Context, c model.LinkWorkItem) error {
	_, err := w.apply(ctx, mutation{}, "", c)
	return err
}

// workingDir is where the process stands; empty when that cannot be told.
func workingDir() string {
	dir, _ := os.Getwd()
	return dir
}
