package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console"
)

// settling is how long the console has the machine and the ledger to itself when it begins.
const settling = 150 * time.Millisecond

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// openEditor is the command that opens a file of the open home in the operator's editor.
func (a *app) openEditor(path string) (*exec.Cmd, error) {
	if a.home == nil {
		return nil, model.Refuse(model.CodeNoHome, "there is no home to edit in")
	}
	return a.editor(path), nil
}

// surveyHolon counts what an import would bring.
func surveyHolon(_ context.Context, dir string) (console.Survey, error) {
	l, err := readHolon(dir)
	if err != nil {
		return console.Survey{Problems: []model.Text{model.Text(fault(err).Message)}}, nil
	}
	return console.Survey{Agents: len(l.Agents), Items: l.Counts.WorkItems, Open: l.Counts.Open, Waits: l.Counts.ActiveWaits}, nil
}

// shortened spells a path below the user's directory with a tilde.
func shortened(path, user string) string {
	if rest, ok := strings.CutPrefix(path, user+string(filepath.Separator)); ok && user != "" {
		return "~/" + rest
	}
	return path
}

// showConsole shows the console. Being told to end is how it may end.
func showConsole(ctx context.Context, o console.Options) error {
	if err := console.Run(ctx, o); err != nil && ctx.Err() == nil && !errors.Is(err, tea.ErrInterrupted) {
		return err
	}
	return nil
}

// proposedAgent is a name for the first agent: that of the repository around the working
// directory, if it makes one.
func (a *app) proposedAgent() model.AgentID {
	dir := a.dir
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return defaultAgent
		}
		dir = up
	}
	if name := strings.ToLower(filepath.Base(dir)); model.ValidID(name) {
		return model.AgentID(name)
	}
	return defaultAgent
}
