package thread

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
)

// record runs a command and takes its end into the active thread. Standard output is the
// command's, what the thread learned is told on standard error; with --json it is the other
// way round. The exit status is the command's.
func (d *door) record() *cobra.Command {
	var stay bool
	c := &cobra.Command{
		Use: "record -- COMMAND…", Short: "Run a command, and keep its exit status and commit as a fact",
		SilenceErrors: true, SilenceUsage: true,
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return d.fail(usage("record needs a command"))
		}
		ctx := c.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		room, err := d.env.room()
		if err != nil {
			return d.fail(err)
		}
		if d.repo != "" {
			room.Dir = within(d.env.Dir, d.repo)
		}
		head, dirty := room.Head(ctx)
		status, err := d.ran(ctx, args)
		if stay {
			d.stay(status, err)
		}
		if err != nil {
			return d.fail(err)
		}
		a, err := room.Record(ctx, home.Execution{Command: strings.Join(args, " "), ExitStatus: status, Head: head, Dirty: dirty})
		if err != nil {
			return d.fail(err)
		}
		r := finalized(a)
		r.verb, r.status = c.Name(), Exit(status)
		out := d.env.Stderr
		if d.json {
			out = d.env.Stdout
		}
		return r.print(out, d.env.Stderr, d.json)
	}
	c.Flags().BoolVar(&stay, "stay", false, "wait for enter before the end, so that the output can be read")
	return c
}

// stay leaves the command's output on the screen until enter.
func (d *door) stay(status int, err error) {
	how := fmt.Sprintf("It ended with exit status %d.", status)
	if err != nil {
		how = "It did not run."
	}
	fmt.Fprintf(d.env.Stderr, "\nvise: %s Enter goes back. ", how)
	_, _ = bufio.NewReader(d.env.Stdin).ReadString('\n')
}

// ran runs a command to its end. One that could not start is an error.
func (d *door) ran(ctx context.Context, args []string) (status int, err error) {
	run := exec.CommandContext(ctx, args[0], args[1:]...)
	run.Dir, run.Stdin, run.Stdout, run.Stderr = d.env.Dir, d.env.Stdin, d.env.Stdout, d.env.Stderr
	if d.json {
		run.Stdout = d.env.Stderr
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

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// signalled is the exit status of a command that a signal ended; shells have 128 and the
// signal's number, which not every system tells.
const signalled = 128
