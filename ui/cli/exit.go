package cli

import (
	"errors"
	"fmt"
	"strings"

	"vise/model"
)

// exit is one row of the table of exit codes: the only place that says what they mean.
// The help topic and the README show the same table.
type exit struct {
	code  int
	means string
	// codes are the error codes that lead to it.
	codes []model.Code
}

// The exit codes that are not looked up by an error's code.
const (
	exitOK       = 0
	exitError    = 1
	exitNotFound = 3
	exitRefused  = 6
)

var exits = []exit{
	{exitOK, "done, also with warnings", nil},
	{exitError, "an error that is none of the others", []model.Code{model.CodeInternal, model.CodeUnknownOutcome}},
	{2, "misused: an unknown verb or flag, or input that is not valid", []model.Code{model.CodeInvalid}},
	{exitNotFound, "what was named does not exist, or the name means several", []model.Code{model.CodeNotFound, model.CodeAmbiguous}},
	{4, "the work item moved on since --if-revision, or what was to be made is there already", []model.Code{model.CodeStale, model.CodeConflict}},
	{5, "the home or its ledger cannot be used as it is", []model.Code{model.CodeNoHome, model.CodeDamaged, model.CodeNewer, model.CodeReadOnly, model.CodeFull}},
	{exitRefused, "refused by a rule; with --strict also: done, with warnings",
		[]model.Code{model.CodeRefused, model.CodeCompleted, model.CodeNotOwner, model.CodeUnfinishedExecution}},
	{75, "the ledger is busy; try again", []model.Code{model.CodeBusy}},
}

// failed is the exit code of an answer that is there and not a good one.
func failed(is bool) int {
	if is {
		return exitError
	}
	return exitOK
}

// exitOf is the exit code of an error.
func exitOf(err error) int {
	var e *model.Error
	if !errors.As(err, &e) {
		return exitError
	}
	code := e.Code
	if code == model.CodeRefused && e.Field == "home" {
		code = model.CodeDamaged // the home is refused, not the command
	}
	for _, x := range exits {
		for _, c := range x.codes {
			if c == code {
				return x.code
			}
		}
	}
	return exitError
}

// exitTable is the table for people, one row a line.
func exitTable() string {
	var b strings.Builder
	for _, x := range exits {
		names := make([]string, len(x.codes))
		for i, c := range x.codes {
			names[i] = string(c)
		}
		fmt.Fprintf(&b, "  %2d  %s", x.code, x.means)
		if len(names) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(names, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
