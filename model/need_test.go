package model

import (
	"fmt"
	"strings"
)

// inboxed tells the inbox of a script's book, an entry a line.
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
