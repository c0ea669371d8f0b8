package cli

import (
	"context"
	_ "embed"
	"strings"

	"github.com/spf13/cobra"
)

// primer is what an agent should know of vise before it has read anything.
//
//go:embed primer.md
var primer string

func (a *app) primeVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "prime", Short: "Print a short text about vise for an agent's instruction file",
		Example: "vise prime >> CLAUDE.md",
	}
	return a.verb(c, func(context.Context, []string) (answer, error) {
		data := struct {
			Text string `json:"text"`
		}{primer}
		return answer{data: data, text: func(p *page) { p.b.WriteString(primer) }}, nil
	})
}

func joined(words []string) string { return strings.Join(words, ", ") }
