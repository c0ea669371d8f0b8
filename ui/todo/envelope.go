package todo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"vise/model"
	file "vise/model/todo"
)

// Exit is the error of a command whose outcome is printed already; its value is the
// process's exit status.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// The exit statuses.
const (
	exitError    Exit = 1
	exitUsage    Exit = 2
	exitNotFound Exit = 3
	exitConflict Exit = 4
	exitRefused  Exit = 6
	exitBusy     Exit = 75
)

func exitOf(code model.Code) Exit {
	switch code {
	case model.CodeInvalid:
		return exitUsage
	case model.CodeNotFound, model.CodeAmbiguous:
		return exitNotFound
	case model.CodeConflict, model.CodeStale:
		return exitConflict
	case model.CodeRefused, model.CodeNotOwner, model.CodeCompleted:
		return exitRefused
	case model.CodeBusy:
		return exitBusy
	}
	return exitError
}

// reply is what a verb has to say, for programs and for people.
type reply struct {
	data     any
	warnings []string
	// human is printed line by line when no JSON is wanted.
	human []string
	// status is the exit status of an answer that is no error and no success.
	status Exit
}

type envelope struct {
	Schema   string          `json:"schema"`
	Data     any             `json:"data"`
	Warnings []model.Warning `json:"warnings"`
}

// print writes the reply: JSON in one line on out; for people the lines on out and the
// warnings on complaints.
func (r reply) print(verb string, out, complaints io.Writer, asJSON bool) error {
	if asJSON {
		if err := printJSON(out, envelope{"vise.v1.todo." + verb, r.data, r.advice()}); err != nil {
			return err
		}
	} else {
		for _, line := range r.human {
			if _, err := fmt.Fprintln(out, line); err != nil {
				return err
			}
		}
		for _, w := range r.warnings {
			fmt.Fprintf(complaints, "vise: %s\n", w)
		}
	}
	if r.status != 0 {
		return r.status
	}
	return nil
}

// warnTodos is the kind of this door's warnings.
const warnTodos model.WarningKind = "file_todos"

// advice are the warnings as every door spells them.
func (r reply) advice() []model.Warning {
	out := []model.Warning{}
	for _, w := range r.warnings {
		out = append(out, model.Warning{Kind: warnTodos, Message: w})
	}
	return out
}

// refuse prints an error and returns its exit status.
func refuse(out, complaints io.Writer, asJSON bool, err error) error {
	var exit Exit
	if errors.As(err, &exit) {
		return exit
	}
	var known *model.Error
	if !errors.As(err, &known) {
		known = model.Refuse(model.CodeInternal, "%s", model.Text(err.Error()))
	}
	if asJSON {
		body := map[string]string{"code": string(known.Code), "message": known.Error(), "hint": known.Hint, "field": known.Field}
		var ruled *file.Refusal
		if errors.As(err, &ruled) {
			body["rule"] = string(ruled.Rule)
		}
		_ = printJSON(out, map[string]any{"schema": "vise.v1.error", "error": body})
		return exitOf(known.Code)
	}
	fmt.Fprintf(complaints, "vise: %v\n", model.Text(known.Error()))
	if known.Hint != "" {
		fmt.Fprintf(complaints, "  %v\n", model.Text(known.Hint))
	}
	return exitOf(known.Code)
}

// printJSON leaves <, > and & alone.
func printJSON(out io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(out, b.String())
	return err
}
