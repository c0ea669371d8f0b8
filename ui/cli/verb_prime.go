package cli

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"vise/ui/agents"
)

// primer is what an agent should know about vise before it reads anything else.
//
//go:embed primer.md
var primer string

func primeVerb(e *Env) *cobra.Command {
	var o agents.Options
	c := &cobra.Command{
		Use: "prime [FILE]", Short: "Print a short text about vise for an agent's instruction file, or keep it there",
		Long: "prime prints the text. With --write it puts the text as a marked block into FILE, by default AGENTS.md\n" +
			"of this git worktree, or CLAUDE.md if only that exists; the rest of the file stays. --write again\n" +
			"replaces the block, and --uninstall removes it. vise install PROGRAM --uninstall removes it too: from\n" +
			"the user's file, or with --project from this one.",
		Example: "vise prime --write CLAUDE.md",
	}
	f := c.Flags()
	write := f.Bool("write", false, "keep the text as a block in FILE")
	f.BoolVar(&o.Uninstall, "uninstall", false, "take the block out of FILE")
	f.BoolVar(&o.DryRun, "dry-run", false, "show the change and write nothing")
	return e.plain(c, func(_ context.Context, args []string) (answer, error) {
		if *write || o.Uninstall {
			return keepPrimer(e, args, o)
		}
		if len(args) > 0 || o.DryRun {
			return answer{}, misuse("write", "a FILE or --dry-run needs --write").
				WithHint("vise prime --write FILE puts the text there")
		}
		data := struct {
			Text string `json:"text"`
		}{primer}
		return answer{data: data, text: func(p *page) { p.b.WriteString(primer) }}, nil
	})
}

// keepPrimer writes the text into an instruction file, or removes it.
func keepPrimer(e *Env, args []string, o agents.Options) (answer, error) {
	path := filepath.Join(agents.Worktree(e.dir), agents.InstructionFile)
	claude := filepath.Join(filepath.Dir(path), agents.ClaudeInstructionFile)
	if _, err := os.Stat(path); err != nil {
		if _, err := os.Stat(claude); err == nil {
			path = claude
		}
	}
	if len(args) > 0 {
		if path = args[0]; !filepath.IsAbs(path) {
			path = filepath.Join(e.dir, path)
		}
	}
	o.Getenv = e.getenv
	out, err := agents.KeepPrimer(o, path, primer)
	return answer{data: out, text: func(p *page) {
		if p.integration(out) == 0 {
			p.line("nothing to change")
		} else if o.DryRun {
			p.line("nothing was written")
		}
	}}, err
}
