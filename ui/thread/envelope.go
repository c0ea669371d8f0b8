package thread

import (
	"fmt"
	"io"

	"vise/model"
	"vise/model/thread"
	"vise/ui/reply"
)

// Exit is how a command ended that has printed its outcome.
type Exit = reply.Exit

// outcome is what a verb has to say, for programs and for people.
type outcome struct {
	verb     string
	data     thread.View
	warnings []model.Text
	// human is printed line by line when no JSON is wanted.
	human []string
	// status is the exit status of an answer that is no error and no success.
	status Exit
}

type envelope struct {
	Schema   string      `json:"schema"`
	Data     thread.View `json:"data"`
	Warnings []string    `json:"warnings"`
}

// print writes the outcome: JSON in one line on out; for people the lines on out and the
// warnings on complaints.
func (r outcome) print(out, complaints io.Writer, asJSON bool) error {
	if asJSON {
		warnings := make([]string, len(r.warnings))
		for i, w := range r.warnings {
			warnings[i] = fmt.Sprint(w)
		}
		if err := reply.PrintJSON(out, envelope{"vise.v1.thread." + r.verb, r.data, warnings}); err != nil {
			return err
		}
	} else {
		for _, line := range r.human {
			fmt.Fprintln(out, line)
		}
		for _, w := range r.warnings {
			fmt.Fprintf(complaints, "vise: %v\n", w)
		}
	}
	if r.status != 0 {
		return r.status
	}
	return nil
}
