package model

import (
	"fmt"
	"strings"
)

// inboxed shows the inbox of a script's book, one entry on each line.
func inboxed(inbox []Inboxed) string {
	if len(inbox) == 0 {
		return "nothing\n"
	}
	var b strings.Builder
	for _, x := range inbox {
		fmt.Fprintf(&b, "%s %s since %s", x.ID, x.Need, x.Since.Format("15:04:05"))
		if x.Seen {
			b.WriteString(" seen")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// later shows what is snoozed.
func later(snoozed []Inboxed) string {
	var b strings.Builder
	for _, x := range snoozed {
		until := "it changes"
		if !x.SnoozedUntil.IsZero() {
			until = x.SnoozedUntil.Format("15:04:05")
		}
		fmt.Fprintf(&b, "snoozed %s %s until %s\n", x.ID, x.Need, until)
	}
	return b.String()
}
