package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
)

// record runs a command and records its result in the active thread. Standard output is the command's, and messages about the thread go to
// standard error. With --json it is the opposite. vise exits with the command's exit status.
func (v *threadVerbs) record() *cobra.Command {
	var stay bool
	c := v.app.acting(&cobra.Command{
		Use: "record -- COMMAND…", Short: "Run a command, and keep its exit status and commit as a fact",
	}, func(ctx context.Context, args []string) (answer, error) { return v.recorded(ctx, args, stay) })
	c.Flags().BoolVar(&stay, "stay", false, "wait for enter before the end, so that the output can be read")
	return c
}

func (v *threadVerbs) recorded(ctx context.Context, args []string, stay bool) (answer, error) {
	in := v.app.threads(v.app.actor)
	if v.repo != "" {
		in.Dir = absolute(in.Dir, v.repo)
	}
	head, dirty := in.Head(ctx)
	status, err := v.ran(ctx, args)
	if stay {
		v.stay(status, err)
	}
	if err != nil {
		return answer{}, err
	}
	a, err := in.Record(ctx, home.Execution{Command: strings.Join(args, " "), ExitStatus: status, Head: head, Dirty: dirty})
	if err != nil {
		return answer{}, err
	}
	r := finalizedAnswer(a)
	r.exit = status
	if !v.app.flags.json {
		for _, l := range r.lines {
			fmt.Fprintln(v.app.err, l)
		}
		r.lines = nil
	}
	return r, nil
}

// stay keeps the command's output on the screen until the operator presses enter.
func (v *threadVerbs) stay(status int, err error) {
	how := fmt.Sprintf("It ended with exit status %d.", status)
	if err != nil {
		how = "It did not run."
	}
	fmt.Fprintf(v.app.err, "\nvise: %s Enter goes back. ", how)
	_, _ = bufio.NewReader(v.app.in).ReadString('\n')
}

// ran runs a command to its end and returns its exit status. A command that could not start is an error.
func (v *threadVerbs) ran(ctx context.Context, args []string) (status int, err error) {
	run := exec.CommandContext(ctx, args[0], args[1:]...)
	run.Dir, run.Stdin, run.Stdout, run.Stderr = v.app.dir, v.app.in, v.app.out, v.app.err
	if v.app.flags.json {
		run.Stdout = v.app.err
	}
	err = run.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &ended) && ended.ExitCode() >= 0:
		return ended.ExitCode(), nil
	case errors.As(err, &ended):
		return signalled, nil
	}
	return 0, model.Refuse(model.CodeInvalid, "the command cannot be run").Because(err).At("command")
}

// signalled is the exit status for a command that a signal ended. Shells add the signal's number to 128, but not every system reports that
// number.
const signalled = 128
