package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/ui/agents"
)

// attached is the data of attach: the session, and the command that shows it.
type attached struct {
	Session home.Session `json:"session"`
	// Open means that the session is still open in its tmux pane.
	Open    bool     `json:"open"`
	Command []string `json:"command"`
	Dir     string   `json:"dir"`
}

func attachVerb(e *Env) *cobra.Command {
	show := false
	c := &cobra.Command{
		Use: "attach ID|AGENT", Short: "Go to the session that worked on an item, or as an agent",
		Long: "attach goes to the pane of tmux where the session still is, or else opens it again in its directory:\n" +
			"claude --resume, codex resume, opencode --session. Which session it was is known from the program's hooks.",
		Example: "vise attach wi-7f3k", ValidArgsFunction: items(e, model.FilterAll),
	}
	c.Flags().BoolVar(&show, "print", false, "print the command, and do not run it")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		to, err := attach(e, args[0])
		if err != nil {
			return answer{}, err
		}
		ans := answer{data: to, text: func(p *page) {
			p.line("cd %s && %s", model.Text(model.ShellLine([]string{to.Dir})), model.Text(model.ShellLine(to.Command)))
		}}
		if show || e.flags.json {
			return ans, nil
		}
		if !e.ttyIn {
			return answer{}, misuse("print", "attach needs a terminal").WithHint("--print shows the command")
		}
		return answer{}, goThere(e, to)
	})
}

// attach finds the session of an agent, or of the item that ref names.
func attach(e *Env, ref string) (to attached, err error) {
	agent, names := model.AgentID(ref), []string{}
	isAgent, err := readOne(e, func(r model.Reader) (bool, error) { _, ok := r.Agent(agent); return ok, nil })
	if err != nil {
		return to, err
	}
	if !isAgent {
		item, err := itemOf(e, ref)
		if err != nil {
			return to, err
		}
		agent, names = item.AgentID, []string{string(item.ID), string(item.Handle)}
	}
	s, ok := e.home.LastSession(agent, names...)
	if !ok {
		return to, model.Refuse(model.CodeNotFound, "no session of %s is known", agent).
			WithHint("sessions are known from the program's hooks: vise doctor PROGRAM says whether they arrive")
	}
	to = attached{Session: s, Dir: s.Dir, Command: paneOf(e, e, s)}
	if to.Open = to.Command != nil; !to.Open {
		to.Command = agents.Resume(s)
	}
	if to.Command == nil {
		return to, model.Refuse(model.CodeRefused, "vise does not know how %s goes on with a session", model.Text(s.Program)).
			WithHint("it is session %s, in %s", model.Text(s.ID), model.Text(s.Dir))
	}
	return to, nil
}

// tmuxTimeout is the time limit for tmux's answer.
const tmuxTimeout = 2 * time.Second

// paneOf returns the command that shows the tmux pane in which a session still runs. It returns nil if the pane is gone, or if a shell runs
// in it again.
func paneOf(e *Env, ctx context.Context, s home.Session) []string {
	if s.Pane == "" || s.Tmux == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, tmuxTimeout)
	defer cancel()
	tmux := []string{"tmux", "-S", s.Tmux}
	ask := exec.CommandContext(ctx, tmux[0], append(tmux[1:], "display-message", "-p", "-t", s.Pane, "#{pane_current_command}")...)
	out, err := ask.Output()
	running := strings.TrimSpace(string(out))
	if err != nil || running == "" || slices.Contains([]string{"sh", "bash", "zsh", "fish", "dash", "ksh"}, running) {
		return nil
	}
	show := "attach-session"
	if socket, _, _ := strings.Cut(e.getenv("TMUX"), ","); socket == s.Tmux {
		show = "switch-client"
	}
	return append(tmux, "select-window", "-t", s.Pane, ";", "select-pane", "-t", s.Pane, ";", show, "-t", s.Pane)
}

// goThere gives the terminal to the session's program. vise exits with that program's exit code.
func goThere(e *Env, to attached) error {
	c := exec.CommandContext(e, to.Command[0], to.Command[1:]...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = to.Dir, os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return agents.Exit(ended.ExitCode())
	}
	if err != nil {
		return model.Refuse(model.CodeRefused, "%s was not started: %s", to.Command[0], model.Text(err.Error())).
			WithHint("by hand: vise attach --print")
	}
	return nil
}
