package action

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"vise/model"
	"vise/ui/text"
)

// BriefLine is a line of a brief: a heading, or an item with its agent and a sentence.
type BriefLine struct {
	Heading            string
	Name, Agent, Words string
}

// BriefLines returns the brief for a person who was away. What needs that person comes first.
func BriefLines(d model.Digest, now time.Time) []BriefLine {
	layout := "Monday 15:04"
	if now.Sub(d.Since) > 6*24*time.Hour {
		layout = "Monday 2 January 15:04"
	}
	out := []BriefLine{{Heading: "since " + d.Since.In(now.Location()).Format(layout) + " (" + text.Age(now.Sub(d.Since)) + ")"}}
	line := func(name model.Text, agent model.AgentID, words model.Text) BriefLine {
		return BriefLine{Name: name.String(), Agent: model.Text(agent).String(), Words: words.String()}
	}
	var needs, done, blocked []BriefLine
	for _, x := range d.Inbox {
		words := model.Textf("%s, %s", model.Spaced(x.Need), text.Age(now.Sub(x.Since).Round(time.Second)))
		if x.Wait.Question != "" {
			words += ": " + x.Wait.Question
		}
		needs = append(needs, line(x.Objective, x.AgentID, words))
	}
	for _, x := range d.Completed {
		words := cmp.Or(x.Report, "no report")
		if x.Evidence != "" {
			words += " (" + x.Evidence + ")"
		}
		done = append(done, line(x.Objective, x.AgentID, words))
	}
	for _, x := range d.Blocked {
		blocked = append(blocked, line(x.Objective, x.AgentID, x.BlockedBy))
	}
	section := func(title string, lines []BriefLine, more int) {
		if n := len(lines); n > 0 {
			out = append(append(out, BriefLine{Heading: fmt.Sprintf("%s: %d", title, n+more)}), lines...)
		}
		if more > 0 {
			out = append(out, BriefLine{Words: fmt.Sprintf("and %d more", more)})
		}
	}
	section("needs you", needs, d.More.Inbox)
	section("completed", done, d.More.Completed)
	section("blocked", blocked, d.More.Blocked)
	if len(out) == 1 {
		out = append(out, BriefLine{Words: "nothing was completed or blocked, and nothing needs you"})
	}
	return append(out, briefTurns(d)...)
}

// briefTurns describe the results of the turns.
func briefTurns(d model.Digest) []BriefLine {
	if d.Turns == 0 {
		return nil
	}
	words := fmt.Sprintf("%s, $%.2f", model.Counted(d.Turns, "turn"), d.CostUSD)
	if d.Failed > 0 {
		words = fmt.Sprintf("%s, %d failed, $%.2f", model.Counted(d.Turns, "turn"), d.Failed, d.CostUSD)
	}
	if d.More.Turns {
		words = "more than " + words
	}
	return []BriefLine{{Heading: words}}
}

// BriefMarkdown formats a brief for a message or a note.
func BriefMarkdown(lines []BriefLine) string {
	var b strings.Builder
	for i, l := range lines {
		switch {
		case i == 0:
			b.WriteString("# " + l.Heading + "\n")
		case l.Heading != "":
			b.WriteString("\n## " + l.Heading + "\n")
		case l.Name == "":
			b.WriteString(l.Words + "\n")
		default:
			fmt.Fprintf(&b, "- **%s** (%s): %s\n", literal(l.Name), l.Agent, literal(l.Words))
		}
	}
	return b.String()
}

// markdownMarks are the special characters of Markdown.
var markdownMarks = regexp.MustCompile("[]\\\\*_`[<#|]")

func literal(s string) string { return markdownMarks.ReplaceAllString(s, `\$0`) }
