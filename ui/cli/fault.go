package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"vise/model"
	"vise/store/todos"
)

// fault is any error as one with a code, a message that is safe to show, and a way out.
func fault(err error) *model.Error {
	var known *model.Error
	if errors.As(err, &known) {
		e := *known
		e.Message = model.Text(e.Error()).String()
		e.Hint = cmp.Or(e.Hint, waysOut[e.Code], "see vise help")
		return &e
	}
	said := model.Text(err.Error()).String()
	switch {
	case errors.Is(err, todos.ErrNoSession):
		return model.Refuse(model.CodeNotFound, "no session context found").At("session").
			WithHint("use --session tmp/WORKFLOW/ID, or run a workflow first")
	case errors.Is(err, todos.ErrChanged):
		return model.Refuse(model.CodeConflict, "%s", said).WithHint("an editor was at it: look again, then try again")
	case errors.Is(err, todos.ErrGone):
		return model.Refuse(model.CodeNotFound, "%s", said).At("session").WithHint("vise todo sessions lists those that are there")
	case errors.Is(err, fs.ErrPermission):
		return model.Refuse(model.CodeReadOnly, "no permission: %s", said).
			WithHint("make the files yours (chown, chmod), or name another home: --home")
	case isAny(err, syscall.EROFS):
		return model.Refuse(model.CodeReadOnly, "%s", said).WithHint("name a home that can be written: --home")
	case noRoom(err, said):
		return model.Refuse(model.CodeFull, "%s", said).WithHint("free some space; nothing of this was saved, all before it was")
	case isAny(err, syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP):
		return model.Refuse(model.CodeDamaged, "%s", said).WithHint("something else lies in its place; look at it, then move it away")
	case errors.Is(err, context.Canceled):
		return model.Refuse(model.CodeInternal, "interrupted").WithHint("what was done before stays; run it again")
	case isUsage(said):
		return model.Refuse(model.CodeInvalid, "%s", said).WithHint("see vise help")
	}
	return model.Refuse(model.CodeInternal, "%s", said).WithHint("vise doctor looks for the cause")
}

func isAny(err error, numbers ...syscall.Errno) bool {
	var n syscall.Errno
	return errors.As(err, &n) && slices.Contains(numbers, n)
}

// noRoom recognises a full disk, quota or limit. The database below passes some of them on
// in words only.
func noRoom(err error, said string) bool {
	return isAny(err, full...) || slices.ContainsFunc(full, func(n syscall.Errno) bool { return strings.HasSuffix(said, n.Error()) })
}

var full = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// waysOut are the hints of errors that come without one.
var waysOut = map[model.Code]string{
	model.CodeNotOwner: "act as the operator, or for the agent that it belongs to: --agent",
	model.CodeNotFound: "see what there is: vise status, vise list",
	model.CodeInvalid:  "vise help VERB says what the verb takes",
	model.CodeRefused:  "vise why ID explains how the work item stands",
	model.CodeInternal: "vise doctor looks for the cause",
}

// isUsage recognises the errors that cobra and pflag make without a type.
func isUsage(said string) bool {
	for _, start := range []string{
		"unknown flag", "unknown shorthand flag", "unknown command", "flag needs an argument", "invalid argument",
		"bad flag syntax", "required flag", "if any flags in the group", "at least one of the flags",
	} {
		if strings.HasPrefix(said, start) {
			return true
		}
	}
	return false
}

// misuse is an error of the command line itself.
func misuse(field, format string, args ...any) *model.Error {
	return model.Refuse(model.CodeInvalid, format, args...).At(field)
}
