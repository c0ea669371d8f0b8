package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console"
)

// bare is vise without a verb: the console on a terminal, else the status with a hint. It
// never waits for input that cannot come, and asks no question of what is no terminal.
func (a *app) bare(ctx context.Context, _ []string) (answer, error) {
	if a.flags.json || !a.ttyIn || !a.ttyOut || a.getenv("TERM") == "dumb" {
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
	return answer{}, a.workbench(ctx)
}

// workbench opens the console on the home, or on the choice of the first run.
func (a *app) workbench(ctx context.Context) error {
	agent, err := a.namedAgent()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b := &bench{app: a, ctx: ctx}
	defer b.close()
	o := b.options()
	d, err := a.open()
	switch {
	case isNoHome(err):
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
func (a *app) consoleOptions() console.Options {
	dir, _ := a.homeDir()
	return console.Options{
		NoColor: a.flags.noColor || a.getenv("NO_COLOR") != "",
		ASCII:   !utf8Locale(a.getenv),
		Editor: func(path string) (*exec.Cmd, error) {
			if a.door == nil {
				return nil, errors.New("there is no home to edit in")
			}
			return a.editor(path), nil
		},
		Home: shortened(dir, a.getenv("HOME")),
		Now:  a.now, NewKey: newKey,
	}
}

// utf8Locale reports whether the terminal's text is UTF-8, as far as the locale tells; an
// unset locale says nothing against it.
func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			v = strings.ToUpper(v)
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
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
			return defaultAgent
		}
		dir = up
	}
	if name := strings.ToLower(filepath.Base(dir)); model.ValidID(name) {
		return model.AgentID(name)
	}
	return defaultAgent
}
