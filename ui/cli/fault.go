package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"vise/model"
	"vise/store/files"
	"vise/store/todos"
)

// fault returns any error as one with a code, a message that is safe to show, and perhaps a hint.
func fault(err error) *model.Error {
	if known := model.AsError(err); known != nil {
		e := *known
		e.Message = safe(e.Error())
		e.Hint = safe(cmp.Or(e.Hint, defaultHints[e.Code]))
		return &e
	}
	said := safe(err.Error())
	switch {
	case errors.Is(err, todos.ErrNoSession):
		return notFound("this repository has no file todos").At("session",
			"vise todo create TITLE --source review --session tmp/WORKFLOW/ID makes the first one")
	case errors.Is(err, todos.ErrChanged):
		return model.Conflict("%s", said).WithHint("an editor was at it: look again, then try again")
	case errors.Is(err, todos.ErrGone):
		return notFound("%s", said).At("session", "vise todo sessions lists those that are there")
	case files.IsGone(err):
		return notFound("%s", said).WithHint("name a path that is there; --home names another home")
	case errors.Is(err, fs.ErrPermission):
		return model.Refuse(model.CodeReadOnly, "no permission: %s", said).
			WithHint("make the files yours (chown, chmod), or name another home: --home")
	case isAny(err, syscall.EROFS):
		return model.Refuse(model.CodeReadOnly, "%s", said).WithHint("it can only be read there; name a home that can be written: --home")
	case noSpace(err, said):
		return model.Refuse(model.CodeFull, "%s", said).WithHint("free some space; nothing of this was saved, all before it was")
	case isAny(err, syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP), errors.As(err, new(*files.Irregular)):
		return model.Refuse(model.CodeDamaged, "%s", said).WithHint("something else is in its place; look at it, then move it away")
	case errors.Is(err, context.DeadlineExceeded):
		return model.Busy("no answer in time").WithHint("try again; vise status says more")
	case errors.Is(err, context.Canceled):
		return model.Refuse(model.CodeInternal, "interrupted").WithHint("what was done before stays; run it again")
	}
	return model.Refuse(model.CodeInternal, "%s", said).WithHint("vise doctor looks for the cause")
}

func isAny(err error, numbers ...syscall.Errno) bool {
	var n syscall.Errno
	return errors.As(err, &n) && slices.Contains(numbers, n)
}

// noSpace recognises a full disk, quota or limit. The database reports some of them only in words.
func noSpace(err error, said string) bool {
	return isAny(err, full...) || slices.ContainsFunc(full, func(n syscall.Errno) bool { return strings.HasSuffix(said, n.Error()) })
}

var full = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// defaultHints are the hints for errors without a hint of their own. For other codes, a failed command refers to its help.
var defaultHints = map[model.Code]string{
	model.CodeNotOwner: "act as the operator, or for the agent that it belongs to: --agent",
	model.CodeNotFound: "see what there is: vise status, vise list",
	model.CodeRefused:  "vise why ID explains how the work item stands",
	model.CodeInternal: "vise doctor looks for the cause",
}

func refuse(format string, args ...any) *model.Error {
	return model.Refused(format, texts(args)...)
}

func notFound(format string, args ...any) *model.Error {
	return model.NotFound(format, texts(args)...)
}

// misuse returns an error about the command line itself.
func misuse(field, format string, args ...any) *model.Error {
	return model.Invalid(format, texts(args)...).At(field)
}

// exit is one row of the table of exit codes, the only place that defines their meaning. The help topic and docs/environment.md show the
// same table.
type exit struct {
	code  int
	means string
	// codes are the error codes with this exit code.
	codes []model.Code
}

// The exit codes that do not depend on an error's code.
const (
	exitOK       = 0
	exitError    = 1
	exitNotFound = 3
	exitDamaged  = 5
	exitRefused  = 6
	// exitUnwritten means that the change is saved and its answer was not written.
	exitUnwritten = 7
	exitBusy      = 75
)

var exits = []exit{
	{exitOK, "done, also with warnings", nil},
	{exitError, "any other error", []model.Code{model.CodeInternal, model.CodeUnknownOutcome, model.CodeAgentFailed}},
	{2, "misused: an unknown command or flag, or input that is not valid", []model.Code{model.CodeInvalid}},
	{exitNotFound, "what was named does not exist, or the name means several", []model.Code{model.CodeNotFound, model.CodeAmbiguous}},
	{4, "the work item moved on since --if-revision, or what was to be made is there already",
		[]model.Code{model.CodeStale, model.CodeConflict}},
	{exitDamaged, "the home or its ledger cannot be used as it is, or not by you; also refused, if the error's field is home",
		[]model.Code{model.CodeNoHome, model.CodeDamaged, model.CodeNewer, model.CodeFormat, model.CodeReadOnly, model.CodeFull}},
	{exitRefused, "refused by a rule; with --strict also: done, with warnings",
		[]model.Code{model.CodeRefused, model.CodeCompleted, model.CodeNotOwner, model.CodeUnfinishedExecution, model.CodeUnverified}},
	{exitUnwritten, "the answer could not be written to standard output; what it tells of was done, and standard error says so", nil},
	{exitBusy, "the ledger is busy; try again", []model.Code{model.CodeBusy}},
}

// failed is the exit code of an answer that reports a failure.
func failed(is bool) int {
	if is {
		return exitError
	}
	return exitOK
}

// exitOf returns the exit code of an error.
func exitOf(err error) int {
	e := model.AsError(err)
	if e == nil {
		return exitError
	}
	code := e.Code
	if code == model.CodeRefused && e.Field == "home" {
		code = model.CodeDamaged // vise refuses the home, not the command
	}
	for _, x := range exits {
		if slices.Contains(x.codes, code) {
			return x.code
		}
	}
	return exitError
}

// exitTable is the table for people, one row on each line.
func exitTable() string {
	var b strings.Builder
	for _, x := range exits {
		fmt.Fprintf(&b, "  %2d  %s", x.code, x.means)
		if len(x.codes) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(as[string](x.codes), ", "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
