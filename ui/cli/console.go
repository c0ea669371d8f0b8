package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/store/home"
	"vise/ui/config"
	"vise/ui/console"
	"vise/watcher"
)

// settling is how long the console has the machine and the ledger to itself when it begins.
const settling = 150 * time.Millisecond

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
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

// bare is vise without a verb: the console on a terminal, else the status with a hint. It
// never waits for input that cannot come, and asks no question of what is no terminal.
func (a *app) bare(ctx context.Context, _ []string) (answer, error) {
	if a.flags.json || !a.opensConsole() {
		ans, err := a.status(ctx)
		if err != nil || ans.text == nil {
			return ans, err
		}
		told := ans.text
		ans.text = func(p *page) {
			told(p)
			p.line("")
			p.line("vise opens the console on a terminal; vise help lists the verbs")
		}
		return ans, nil
	}
	return answer{}, a.openConsole(ctx)
}

// opensConsole reports whether there is something to show a console on.
func (a *app) opensConsole() bool {
	return a.accessible() || a.ttyIn && a.ttyOut && a.getenv("TERM") != "dumb"
}

// accessible reports whether a console of lines is asked for: by the flag, wherever the input
// comes from, or by the environment on a terminal.
func (a *app) accessible() bool {
	v := a.getenv("ACCESSIBLE")
	return a.flags.accessible || v != "" && v != "0" && a.ttyIn && a.ttyOut
}

// dueCounted bounds how many due times are counted for the sentence of the end.
const dueCounted = 100

// farOff is beyond every timer that is worth a sentence.
const farOff = 50 * 365 * 24 * time.Hour

// exitTimeout is how long the end waits for a ledger that somebody else holds.
const exitTimeout = 300 * time.Millisecond

// exitMessage is what a console says on the terminal that it gives back: that timers and
// rechecks wait, if no other process runs the scheduler of the home; empty when all is well.
func exitMessage(ctx context.Context, h *home.Home, now time.Time) string {
	if h.Attended() {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, exitTimeout)
	defer stop()
	n := 0
	err := h.View(ctx, func(r model.Reader) error {
		for after := model.AgentID(""); n < dueCounted; {
			agents := r.Agents(after, dueCounted)
			for _, a := range agents {
				n += len(r.Due(a.ID, now.Add(farOff), dueCounted))
				after = a.ID
			}
			if len(agents) < dueCounted {
				return nil
			}
		}
		return nil
	})
	switch {
	case err != nil || n == 0:
		return ""
	case n == 1:
		return "1 timer waits until vise runs again; vise serve keeps time without a screen"
	case n >= dueCounted:
		return fmt.Sprintf("%d or more timers wait until vise runs again; vise serve keeps time without a screen", dueCounted)
	}
	return fmt.Sprintf("%d timers wait until vise runs again; vise serve keeps time without a screen", n)
}

// followSettings has the console take the operator's settings, now and whenever they change.
func (r *consoleRun) followSettings(o *console.Options) {
	at, err := configPlace(r.getenv)
	if err != nil {
		return
	}
	w := watcher.Settings(r.ctx, at.File, at.Themes) // before the first reading, so that no save is missed
	r.atEnd = append(r.atEnd, w.Close)
	o.SaveFilter = saveFilter(at)
	o.Settings = config.Load(at, r.getenv)
	o.NextSettings = func(ctx context.Context) (config.Settings, error) {
		if err := w.Next(ctx); err != nil {
			return config.Settings{}, err
		}
		return config.Load(at, r.getenv), nil
	}
}
