package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/ui/resume"
	verbs "vise/ui/run"
	"vise/watcher"
)

// moving is what the verbs of package run need of this program.
func (a *app) moving() verbs.Env {
	return verbs.Env{
		Open:   func(context.Context) (verbs.Ledger, error) { return a.followed(nil) },
		OpenIn: func(_ context.Context, dirs map[model.AgentID]string) (verbs.Ledger, error) { return a.followed(dirs) },
		Home:   a.homeDir, Actor: a.actor, Agent: a.namedAgent, Config: a.configFile, Getenv: a.getenv, Now: a.now, NewKey: newKey,
		Plan: a.freshPlan, Card: a.cardIn, Ran: a.recordIn, Wake: a.wakeLedger, Program: frontProgram, Out: a.out, Err: a.err,
		Show: func(c *cobra.Command, x verbs.Answer) error {
			return a.finish(c, answer{data: x.Data, warnings: x.Warnings, failed: x.Failed, text: func(p *page) { x.Text(&p.b) }})
		},
	}
}

// followed is the ledger whose answers threads follow, those of agents in dirs there.
func (a *app) followed(dirs map[model.AgentID]string) (verbs.Ledger, error) {
	d, err := a.open()
	if err != nil {
		return nil, err
	}
	actor, err := a.actor()
	room := a.room(actor)
	at := map[model.AgentID]string{}
	for agent, dir := range dirs {
		if dir != "" {
			at[agent] = absolute(room.Dir, dir)
		}
	}
	return Threaded{Ledger: d.ledger, Room: room, Dirs: at}, err
}

// cardIn is where the work was left in the repository around dir; empty means the working
// directory.
func (a *app) cardIn(ctx context.Context, dir string, links []model.ThreadLink) thread.Card {
	room := a.room(model.Scheduler)
	if dir != "" {
		room.Dir = dir
	}
	return room.Card(ctx, links)
}

// recordIn takes the end of a command of an agent into the active thread in dir, if it is a
// fact of the work. Where that fails, nothing is learned.
func (a *app) recordIn(ctx context.Context, dir, execution, command string, status int) {
	room := a.room(model.Scheduler)
	if dir != "" {
		room.Dir = absolute(room.Dir, dir)
	}
	_ = room.Overhear(ctx, resume.Run{ID: execution, Command: command, ExitStatus: status})
}

// freshPlan puts the plan file as it is now into a view.
func (a *app) freshPlan(v *model.View) {
	if d, err := a.open(); err == nil {
		d.fresh(v)
	}
}

// wakeful runs wakeLedger until the function that it returns is called.
func (a *app) wakeful(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.wakeLedger(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// wakeLedger hints the ledger at commits of other processes until ctx ends. Without eyes on
// the file the ledger notices them by itself, later.
func (a *app) wakeLedger(ctx context.Context) {
	d, err := a.open()
	if err != nil {
		return
	}
	w, err := watcher.Start(ctx, watcher.Config{Home: d.files, Ledger: filepath.Join(d.dir, "ledger.db")})
	if err != nil {
		return
	}
	defer w.Close()
	for {
		event, err := w.Next(ctx)
		if err != nil {
			return
		}
		if event.LedgerMoved {
			d.ledger.Wake()
		}
	}
}

// configFile is where the configuration lies, whether it is there or not.
func (a *app) configFile() (string, error) {
	if dir := a.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "vise", "config.yaml"), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".config", "vise", "config.yaml"), err
}
