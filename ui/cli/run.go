package cli

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	verbs "vise/ui/run"
	"vise/watcher"
)

// moving is what the verbs of package run need of this program.
func (a *app) moving() verbs.Env {
	return verbs.Env{
		Open: func(context.Context) (home.Ledger, error) { return a.open() },
		OpenIn: func(_ context.Context, dirs map[model.AgentID]string) (home.Ledger, error) {
			h, err := a.open()
			if err != nil {
				return nil, err
			}
			return h.With(dirs), nil
		},
		Home: a.homeDir, Actor: a.actor, Agent: a.namedAgent, Config: a.configFile, Getenv: a.getenv, Now: a.now, NewKey: newKey,
		Card: a.cardIn, Ran: a.recordIn, Wake: a.attend, Program: frontProgram, Out: a.out, Err: a.err,
		Show: func(c *cobra.Command, x verbs.Answer) error {
			return a.finish(c, answer{data: x.Data, warnings: x.Warnings, failed: x.Failed, text: func(p *page) { x.Text(&p.b) }})
		},
	}
}

// cardIn is where the work was left in the repository around dir; empty means the working
// directory.
func (a *app) cardIn(ctx context.Context, dir string, links []model.ThreadLink) thread.Card {
	in := a.threads(model.Scheduler)
	in.Dir = cmp.Or(dir, in.Dir)
	return in.Card(ctx, links)
}

// recordIn takes the end of a command of an agent into the active thread in dir, if it is a
// fact of the work. Where that fails, nothing is learned.
func (a *app) recordIn(ctx context.Context, dir, execution, command string, status int) {
	in := a.threads(model.Scheduler)
	if dir != "" {
		in.Dir = absolute(in.Dir, dir)
	}
	_ = in.Observe(ctx, home.Execution{ID: execution, Command: command, ExitStatus: status})
}

// attend is wakeLedger for who runs the scheduler.
func (a *app) attend(ctx context.Context) {
	if h, err := a.open(); err == nil {
		defer h.Attend()()
	}
	a.wakeLedger(ctx)
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
	w, err := watcher.Start(ctx, watcher.Config{Home: d.Files(), Ledger: filepath.Join(d.Dir(), "ledger.db")})
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
			d.Wake()
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
