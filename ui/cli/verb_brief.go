package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/action"
)

// briefBack is the default for how far brief looks back.
const briefBack = "12h"

func briefVerb(e *Env) *cobra.Command {
	since, markdown := briefBack, false
	c := &cobra.Command{
		Use: "brief", Short: "Show what happened while you were away",
		Long: "brief tells of all agents: what was completed, with the beginning of its report, what needs you now, what was\n" +
			"blocked, and what the turns cost. --markdown is for a message or a note.",
		Example: "vise brief --since 18:00\nvise brief --since 3d --markdown",
	}
	c.Flags().StringVar(&since, "since", since, "since when: a span back from now (8h, 3d), or a time (18:00, 2026-11-20 16:00)")
	c.Flags().BoolVar(&markdown, "markdown", false, "write Markdown")
	return e.verb(c, func(_ context.Context, _ []string) (answer, error) {
		from, err := briefFrom(e, since)
		if err != nil {
			return answer{}, err
		}
		return readAnswer(e, func(p *page, d model.Digest) { p.brief(d, markdown) }, func(r model.Reader) (model.Digest, error) {
			return model.DigestOf(r, from, e.now()), nil
		})
	})
}

// briefFrom returns the time from which a brief reports.
func briefFrom(e *Env, since string) (time.Time, error) {
	from, err := pastTime(since, e.now())
	if err != nil {
		return from, misuse("since", "--since %s is %v", model.Text(since), err).
			WithHint("a span back from now (8h, 3d), or a time (18:00, 2026-11-20 16:00)")
	}
	return from, nil
}

// brief writes a heading and one line for each thing. With markdown it marks them as headings and lists.
func (p *page) brief(d model.Digest, markdown bool) {
	lines := action.BriefLines(d, p.now.Local())
	if markdown {
		for l := range strings.Lines(action.BriefMarkdown(lines)) {
			p.line("%s", strings.TrimSuffix(l, "\n"))
		}
		return
	}
	for i, l := range lines {
		switch {
		case l.Heading != "":
			if i > 0 {
				p.line("")
			}
			p.line("%s", p.strong(l.Heading))
		case l.Name == "":
			p.line("%s", p.muted(l.Words))
		default:
			p.line("  %s  %s  %s", l.Name, p.muted(l.Agent), l.Words)
		}
	}
}
