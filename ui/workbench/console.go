package workbench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/store/home"
	"vise/ui/cli"
	"vise/ui/console"
	"vise/ui/markdown"
	"vise/ui/text"
)

// openConsole opens the console on the home, or on the choice of the first run.
func openConsole(ctx context.Context, h cli.Host, pages markdown.Engine) error {
	agent, err := h.Agent()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b := newBench(ctx, h, pages)
	defer b.close()
	o := b.options()
	if h.Linear() || o.Settings.Accessible {
		return b.linear(agent, o.Settings)
	}
	d, err := h.Open()
	switch {
	case home.NoHome(err):
		if o.FirstRun, err = b.firstRun(agent); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if o.Session, err = b.session(d, agent); err != nil {
			return err
		}
	}
	return runConsole(ctx, o)
}

// consoleOptions are the console's surroundings without a session.
func (b *bench) consoleOptions() console.Options {
	dir, _ := b.host.HomeDir()
	return console.Options{
		NoColor: b.NoColor || b.Getenv("NO_COLOR") != "",
		ASCII:   !text.UTF8(b.Getenv),
		Editor:  b.host.Editor,
		Native:  native{b.Getenv},
		Pages:   b.pages,
		Home:    shortened(dir, b.Getenv("HOME")),
		Now:     b.Now, NewKey: cli.NewKey,
	}
}

// shortened spells a path below the user's directory with a tilde.
func shortened(path, user string) string {
	if rest, ok := strings.CutPrefix(path, user+string(filepath.Separator)); ok && user != "" {
		return "~/" + rest
	}
	return path
}

// runConsole shows the console. Being told to end is how it may end.
func runConsole(ctx context.Context, o console.Options) error {
	if err := console.Run(ctx, o); err != nil && ctx.Err() == nil && !errors.Is(err, tea.ErrInterrupted) {
		return err
	}
	return nil
}

// proposedAgent is a name for the first agent: that of the repository around the working
// directory, if it makes one.
func proposedAgent() model.AgentID {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return cli.DefaultAgent
		}
		dir = up
	}
	if name := strings.ToLower(filepath.Base(dir)); model.ValidID(name) {
		return model.AgentID(name)
	}
	return cli.DefaultAgent
}
