package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/text"
)

// briefOf is the data of brief.
type briefOf struct {
	model.Digest
	turnsUsed
}

// briefBack is how far brief looks back unless it is told.
const briefBack = "12h"

func (a *app) briefVerb() *cobra.Command {
	since, markdown := briefBack, false
	c := &cobra.Command{
		Use: "brief", Short: "Tell what happened while you were away",
		Long: "brief tells of all agents: what was completed, with the beginning of its report, what needs you now, what was\n" +
			"blocked, and what the turns cost. --markdown is for a message or a note.",
		Example: "vise brief --since 18:00\nvise brief --since 3d --markdown",
	}
	c.Flags().StringVar(&since, "since", since, "since when: a span back from now (8h, 3d), or a time (18:00, 2026-11-20 16:00)")
	c.Flags().BoolVar(&markdown, "markdown", false, "write Markdown")
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) {
		from, err := pastTime(since, a.now())
		if err != nil {
			return answer{}, misuse("since", "--since %s is no time that is over", model.Text(since)).
				WithHint("a span back from now (8h, 3d), or a time (18:00, 2026-11-20 16:00)")
		}
		return readAnswer(ctx, a, func(p *page, b briefOf) { p.brief(b, markdown) }, func(r model.Reader) (briefOf, error) {
			out := briefOf{Digest: model.DigestOf(r, from, a.now())}
			for _, t := range turnsSince(r, "", from, "") {
				out.add(t)
			}
			return out, nil
		})
	})
}

// brief writes a heading and a line for each thing. Markdown marks them as such.
func (p *page) brief(b briefOf, markdown bool) {
	p.marked(markdown, "# ", "since "+b.Since.Local().Format("Monday 15:04")+" ("+text.Age(p.now.Sub(b.Since))+")")
	section := func(title string, n, more int, line func(i int) (name, agent, words string)) {
		if n == 0 {
			return
		}
		p.line("")
		p.marked(markdown, "## ", fmt.Sprintf("%s: %d", title, n+more))
		for i := range n {
			name, agent, words := line(i)
			p.briefLine(markdown, name, agent, words)
		}
		if more > 0 {
			p.line("%s", p.muted(fmt.Sprintf("and %d more", more)))
		}
	}
	section("needs you", len(b.Inbox), b.More.Inbox, func(i int) (string, string, string) {
		x := b.Inbox[i]
		words := fmt.Sprintf("%s, %s", x.Need, text.Age(p.now.Sub(x.Since).Round(time.Second)))
		if x.Wait.Question != "" {
			words += ": " + x.Wait.Question.String()
		}
		return x.Objective.String(), model.Text(x.AgentID).String(), words
	})
	section("completed", len(b.Completed), b.More.Completed, func(i int) (string, string, string) {
		x := b.Completed[i]
		if x.Report == "" {
			x.Report = "no report"
		}
		return x.Objective.String(), model.Text(x.AgentID).String(), x.Report.String()
	})
	section("blocked", len(b.Blocked), b.More.Blocked, func(i int) (string, string, string) {
		x := b.Blocked[i]
		return x.Objective.String(), model.Text(x.AgentID).String(), x.BlockedBy.String()
	})
	if len(b.Inbox)+len(b.Completed)+len(b.Blocked) == 0 {
		p.line("nothing was completed or blocked, and nothing needs you")
	}
	if b.Turns > 0 {
		p.line("")
		p.line("%s, $%.2f", model.Counted(b.Turns, "turn"), b.CostUSD)
	}
}

func (p *page) marked(markdown bool, mark, heading string) {
	if markdown {
		p.line("%s%s", mark, heading)
		return
	}
	p.line("%s", p.strong(heading))
}

func (p *page) briefLine(markdown bool, name, agent, words string) {
	if markdown {
		p.line("- **%s** (%s): %s", markdownMarks.Replace(name), agent, markdownMarks.Replace(words))
		return
	}
	p.line("  %s  %s  %s", name, p.muted(agent), words)
}

// markdownMarks lets all characters of a text stand for themselves in Markdown.
var markdownMarks = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "<", `\<`, "#", `\#`, "|", `\|`)
