package cli

import (
	"context"
	"strings"

	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"

	"vise/model"
)

// script is the data of completion and man.
type script struct {
	Shell string `json:"shell,omitempty"`
	Text  string `json:"text"`
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

func (a *app) completionVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "completion SHELL", Short: "Print the completion script of a shell",
		Long:    "completion prints a script that lets the shell complete verbs, flags and work items.",
		Example: "source <(vise completion bash)", ValidArgs: shells,
	}
	return a.verb(c, func(_ context.Context, args []string) (answer, error) {
		var b strings.Builder
		var err error
		switch root := c.Root(); args[0] {
		case "bash":
			err = root.GenBashCompletionV2(&b, true)
		case "zsh":
			err = root.GenZshCompletion(&b)
		case "fish":
			err = root.GenFishCompletion(&b, true)
		case "powershell":
			err = root.GenPowerShellCompletionWithDesc(&b)
		default:
			err = misuse("shell", "unknown shell %q", model.Text(args[0])).WithHint("the shells are %s", strings.Join(shells, ", "))
		}
		return printed(script{args[0], b.String()}), err
	})
}

func (a *app) manVerb() *cobra.Command {
	c := &cobra.Command{Use: "man", Short: "Print the manual page", Example: "vise man | man -l -"}
	return a.verb(c, func(context.Context, []string) (answer, error) {
		page, err := mango.NewManPage(1, c.Root())
		if err != nil {
			return answer{}, err
		}
		return printed(script{Text: page.Build(roff.NewDocument())}), nil
	})
}

func printed(s script) answer {
	return answer{data: s, text: func(p *page) { p.b.WriteString(s.Text) }}
}

// offered bounds how many items a completion proposes.
const offered = model.MaxLimit

// items completes an item's handle, with its objective as the description. It asks the
// ledger, and proposes nothing when that does not answer.
func (a *app) items(filter model.Filter) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var out []cobra.Completion
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		_ = a.read(c.Context(), func(r model.Reader) error {
			agent, err := a.agentOf(r)
			if err != nil {
				return err
			}
			l, err := model.ListItems(r, agent, filter, nil, offered)
			for _, row := range l.Rows {
				if strings.HasPrefix(string(row.Handle), begun) {
					out = append(out, cobra.CompletionWithDesc(string(row.Handle), row.Objective.String()))
				}
			}
			return err
		})
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

func (a *app) openItems(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.items(model.FilterOpen)(c, args, begun)
}

func (a *app) doneItems(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.items(model.FilterDone)(c, args, begun)
}

func (a *app) allItems(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.items(model.FilterAll)(c, args, begun)
}
