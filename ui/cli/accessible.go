package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"vise/model"
	file "vise/model/todo"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/runner"
)

// linePlans are the plan files of the console of lines. It remembers them as seen, like the console on a screen.
type linePlans struct {
	seenPlans
	home *home.Home
}

// Plan is part of accessible.Plans.
func (p linePlans) Plan(ctx context.Context, agent model.AgentID, id model.ItemID) (model.PlanArtifact, model.Text) {
	read := p.home.Plan(ctx, agent, id)
	return read.PlanArtifact, model.Text(read.Raw)
}

// lineTodos are the file todos of the console of lines.
type lineTodos struct{ *fileTodos }

// Open is part of accessible.Findings.
func (f lineTodos) Open(ctx context.Context, links []model.TodoRef) (open []file.Todo) {
	for _, l := range f.Read(ctx, links).Linked {
		if l.Missing == "" && !l.Todo.Status.Final() {
			open = append(open, l.Todo)
		}
	}
	return open
}

// clip copies text for the console of lines: to the terminal's clipboard if the terminal obeys escape sequences, and to the desktop's
// clipboard if there is one. It returns which one it used, or nothing if there is none. A text that a terminal would cut is written to a
// file, and the file's path is copied.
func clip(e *Env, p edits) func(context.Context, string, string) string {
	term := e.getenv("TERM")
	obeys := e.ttyIn && e.ttyOut && term != "" && term != "dumb"
	screen := e.getenv("STY") != "" && e.getenv("TMUX") == ""
	return func(ctx context.Context, what, text string) string {
		if program, err := (desktop{e.getenv}).Copy(ctx, text); program != "" && err == nil {
			return what + " copied with " + program + "."
		}
		if !obeys {
			return ""
		}
		said := what + " sent to the terminal's clipboard (OSC 52)."
		if len(text) > action.MostCopied {
			path, err := p.Copy(ctx, "copy", text)
			if err != nil {
				return fmt.Sprintf("%s was not copied: %s.", what, model.Text(err.Error()))
			}
			text, said = path, fmt.Sprintf("%s is too long for a terminal. It is in a file, whose path was sent (OSC 52): %s", what,
				model.Text(path))
		}
		if _, err := io.WriteString(e.out, action.ClipboardSequence(text, screen)); err != nil {
			return ""
		}
		return said
	}
}

// The limits of a custom command.
const (
	customTime   = time.Minute
	customOutput = 256 << 10 // bytes
	customDrain  = 500 * time.Millisecond
)

// runCustom runs a custom command in the directory in which vise was started. The command may start a program that keeps running, such as
// an editor with windows.
func runCustom(ctx context.Context, argv []string, stdin []byte) (string, error) {
	ctx, stop := context.WithTimeout(ctx, customTime)
	defer stop()
	var out bytes.Buffer
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Stdin, c.WaitDelay = bytes.NewReader(stdin), customDrain
	capped := &runner.Capped{To: &out, Max: customOutput}
	c.Stdout, c.Stderr = capped, capped
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return out.String(), fmt.Errorf("gave up after %s", customTime)
	case errors.Is(err, exec.ErrWaitDelay):
		return out.String(), nil // a program that keeps running holds the output open
	case errors.As(err, &exit):
		return out.String(), fmt.Errorf("ended with %s", model.Text(exit.ProcessState.String()))
	}
	return out.String(), err
}

// filterSaver saves filters in the configuration. It is nil if there is no place for a configuration.
func filterSaver(e *Env) func(context.Context, string, string) error {
	at, err := configPlace(e.getenv)
	if err != nil {
		return nil
	}
	return rewritten(at, config.WithFilter)
}

// rewritten changes the configuration file, and makes the file if it does not exist. It follows a link, because the link is the operator's
// own.
func rewritten(at config.Place, with func(raw []byte, name, value string) ([]byte, error)) func(context.Context, string, string) error {
	return func(_ context.Context, name, value string) error {
		path := at.File
		if to, err := filepath.EvalSymlinks(path); err == nil {
			path = to
		}
		raw, err := config.ReadFile(path)
		if err != nil && !files.IsGone(err) {
			return fmt.Errorf("%s: %w", at.File, err)
		}
		out, err := with(raw, name, value)
		if err != nil {
			return fmt.Errorf("%s: %w", at.File, err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return files.WriteAtomic(path, out)
	}
}
