// Package leaky breaks the rule that TestNoFrontendShowsRawText checks, in every way it knows.
// The lines that must be found end in "want".
package leaky

import (
	"fmt"
	"io"

	"vise/model"
)

type label string

type row struct{ Objective model.Text }

func show(w io.Writer, r row, rows map[string][]*row) string {
	io.WriteString(w, r.Objective.Raw())    // want
	raw := r.Objective.Raw                  // want
	_ = model.Text.Raw                      // want
	title := "vise: " + string(r.Objective) // want
	_ = []byte(r.Objective[:2])             // want
	_ = []rune(rows["x"][0].Objective)      // want
	_ = label(r.Objective)                  // want
	for _, c := range r.Objective {         // want
		fmt.Fprintf(w, "%c", c)
	}
	alias := model.Text.String
	_ = model.Text("ours") + r.Objective
	_ = (string)(r.Objective) == "x" // raw: compared, not shown
	// raw: written to a file that the editor opens
	_, _ = w.Write([]byte(r.Objective))
	_ = string(r.Objective) // raw: want
	// raw: nothing here is raw want
	return title + raw() + alias(r.Objective) + fmt.Sprint(r)
}
