package todo

import (
	"errors"
	"fmt"
	"io"

	"vise/model"
	file "vise/model/todo"
	"vise/ui/reply"
)

// Exit is how a command ended that has printed its outcome.
type Exit = reply.Exit

// outcome is what a verb has to say, for programs and for people.
type outcome struct {
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

// print writes the outcome: JSON in one line on out; for people the lines on out and the
// warnings on complaints.
func (r outcome) print(verb string, out, complaints io.Writer, asJSON bool) error {
	if asJSON {
		if err := reply.PrintJSON(out, envelope{"vise.v1.todo." + verb, r.data, r.advice()}); err != nil {
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

// advice are the warnings as every door spells them.
func (r outcome) advice() []model.Warning {
	out := []model.Warning{}
	for _, w := range r.warnings {
		out = append(out, model.Warning{Kind: model.WarnFileTodos, Message: w})
	}
	return out
}

// refuse prints an error, with the rule that refused, and returns its exit status.
func refuse(out, complaints io.Writer, asJSON bool, err error) error {
	var more map[string]string
	var ruled *file.Refusal
	if errors.As(err, &ruled) {
		more = map[string]string{"rule": string(ruled.Rule)}
	}
	return reply.Refuse(out, complaints, asJSON, err, more)
}
