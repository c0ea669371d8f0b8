package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"vise/model"
	"vise/store/home"
)

// record runs a command and records its result in the active thread. Standard output is the command's, and messages about the thread go to
// standard error. With --json it is the opposite. vise exits with the command's exit status.
func (v *threadVerbs) record() verb {
	var stay bool
	return verb{
		use: "record -- COMMAND…", short: "Run a command, and keep its exit status and commit as a fact",
		example: "vise thread record -- go test ./...",
		long: "record runs a command, ends with its exit status, and says what the active thread keeps of it: each failure; the\n" +
			"success of a test, a linter or a build, and of what the thread recommends or lists as unverified.",
		flags: flags{{"stay", &stay, "wait for enter before the end, so that the output can be read"}},
		run: func(e *Env) (answer, error) {
			in := threadsOf(v.Env, v.actor)
			if v.repo != "" {
				in.Dir = absolute(in.Dir, v.repo)
			}
			head, dirty := in.Head(v)
			status, err := v.ran(e.words)
			if stay {
				v.stay(status, err)
			}
			if err != nil {
				return nil, err
			}
			command := strings.Join(e.words, " ")
			a, err := in.Record(v, home.Execution{Command: command, ExitStatus: status, Head: head, Dirty: dirty})
			if err != nil {
				return nil, err
			}
			r := finalizedAnswer(a)
			r.exit = status
			if !v.flags.json {
				fmt.Fprintf(v.err, "Exit status %d%s.\n", status, atCommit(head))
				for _, l := range r.lines {
					fmt.Fprintln(v.err, l)
				}
				r.lines = nil
			}
			return r, nil
		},
	}
}

func atCommit(head string) string {
	if head == "" {
		return ""
	}
	return " at commit " + head[:min(len(head), 12)]
}

// stay keeps the command's output on the screen until the operator presses enter.
func (v *threadVerbs) stay(status int, err error) {
	how := fmt.Sprintf("It ended with exit status %d.", status)
	if err != nil {
		how = "It did not run."
	}
	fmt.Fprintf(v.err, "\nvise: %s Enter goes back. ", how)
	_, _ = bufio.NewReader(v.in).ReadString('\n')
}

// ran runs a command to its end and returns its exit status. A command that could not start is an error.
func (v *threadVerbs) ran(args []string) (status int, err error) {
	run := exec.CommandContext(v, args[0], args[1:]...)
	run.Dir, run.Stdin, run.Stdout, run.Stderr = v.dir, v.in, v.out, v.err
	if v.flags.json {
		run.Stdout = v.err
	}
	err = run.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return 0, model.Invalid("the command cannot be run").Because(err).At("command")
	}
	if status = run.ProcessState.ExitCode(); status < 0 {
		status = signalled
	}
	return status, nil
}

// signalled is the exit status for a command that a signal ended. Shells add the signal's number to 128, but not every system reports that
// number.
const signalled = 128
