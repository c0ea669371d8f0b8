package reply

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"vise/model"
)

// Exit is the error of a command whose outcome is printed already; its value is the
// process's exit status.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// The exit statuses of the commands that print for themselves.
const (
	ExitError    Exit = 1
	ExitUsage    Exit = 2
	ExitNotFound Exit = 3
	ExitConflict Exit = 4
	ExitRefused  Exit = 6
	ExitBusy     Exit = 75
)

func exitOf(code model.Code) Exit {
	switch code {
	case model.CodeInvalid:
		return ExitUsage
	case model.CodeNotFound, model.CodeAmbiguous:
		return ExitNotFound
	case model.CodeConflict, model.CodeStale:
		return ExitConflict
	case model.CodeRefused, model.CodeNotOwner, model.CodeCompleted:
		return ExitRefused
	case model.CodeBusy:
		return ExitBusy
	}
	return ExitError
}

// Refuse prints an error and returns its exit status: as JSON on out, with what more there
// is to say of it, or for people on complaints. Both are safe on a terminal.
func Refuse(out, complaints io.Writer, asJSON bool, err error, more map[string]string) error {
	var exit Exit
	if errors.As(err, &exit) {
		return exit
	}
	var known *model.Error
	if !errors.As(err, &known) {
		known = model.Refuse(model.CodeInternal, "%s", model.Text(err.Error()))
	}
	if asJSON {
		body := map[string]string{"code": string(known.Code)}
		for key, text := range map[string]string{"message": known.Error(), "hint": known.Hint, "field": known.Field} {
			body[key] = fmt.Sprint(model.Text(text))
		}
		for key, text := range more {
			body[key] = fmt.Sprint(model.Text(text))
		}
		_ = PrintJSON(out, map[string]any{"schema": "vise.v1.error", "error": body})
		return exitOf(known.Code)
	}
	fmt.Fprintf(complaints, "vise: %v\n", model.Text(known.Error()))
	if known.Hint != "" {
		fmt.Fprintf(complaints, "  %v\n", model.Text(known.Hint))
	}
	return exitOf(known.Code)
}

// PrintJSON writes v on one line. What spells itself is kept, and <, > and & are left alone.
func PrintJSON(out io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(out, b.String())
	return err
}
