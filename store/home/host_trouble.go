package home

import (
	"errors"
	"os/exec"
	"slices"
	"strings"

	"vise/model"
)

// maxSaid is how much of the end of its error output is kept, in bytes.
const maxSaid = 4 << 10

// notFound is the exit code of a shell that cannot find a program.
const notFound = 127

// troubleOf describes why the program that connects to a host ended, with the program's last line and a hint.
func troubleOf(said string, ended error) *model.Error {
	lines := slices.DeleteFunc(strings.Split(said, "\n"), func(s string) bool { return strings.TrimSpace(s) == "" })
	e := model.Busy("the connection ended")
	own := slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, "vise: ") })
	if own >= 0 { // the next line is its hint
		e.Message = model.Text(strings.TrimPrefix(lines[own], "vise: ")).String()
	} else if n := len(lines); n > 0 {
		e.Message = model.Text(strings.TrimRight(strings.TrimSpace(lines[n-1]), ".")).String()
	} else if ended != nil {
		e.Message = model.Text(ended.Error()).String()
	}
	exit := (*exec.ExitError)(nil)
	switch {
	case errors.As(ended, &exit) && exit.ExitCode() == notFound:
		e.Code, e.Hint = model.CodeNotFound, "vise must be found there by a shell without a login: put it into a directory of that PATH"
	case strings.Contains(said, "Host key verification failed"):
		e.Code, e.Hint = model.CodeRefused, "connect once by hand with ssh, and compare the key that it shows"
	case strings.Contains(said, "Permission denied"):
		e.Code, e.Hint = model.CodeRefused, "ssh must get in without a question: ssh-copy-id takes your key there, ssh-add unlocks it here"
	case strings.Contains(said, "there is no vise home"):
		e.Code, e.Hint = model.CodeNoHome, "run vise admin init there, or name its home: ssh://HOST/PATH"
	case strings.Contains(said, "unknown command"):
		e.Code, e.Hint = model.CodeRefused, "its vise is older than this one: update it"
	default:
		e.Hint = "try ssh -v to that host: it says more"
	}
	return e
}
