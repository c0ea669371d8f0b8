package console

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/console/widget"
)

// CustomRun is a custom command, ready to be run.
type CustomRun struct {
	// Argv is run as it is; no shell reads it.
	Argv []string
	// Stdin is the work item as vise show --json has it, or the agent.
	Stdin []byte
}

// RunCustom runs a custom command and returns what it wrote, bounded. Its error is for the screen.
type RunCustom func(context.Context, CustomRun) (output string, err error)

// customMsg is what became of a custom command.
type customMsg struct {
	command config.Command
	output  string
	err     error
}

// custom runs a custom command, after a question if it is dangerous.
func custom(x config.Command) act {
	return func(c Console) (Console, tea.Cmd) {
		run, why := customRun(c, x)
		switch {
		case why != "":
			return c.say(sentence(why))
		case x.Dangerous:
			return c.open(askingCustom(x, run))
		}
		return startCustomMsg{x, run}.handle(c)
	}
}

type startCustomMsg struct {
	command config.Command
	run     CustomRun
}

func (m startCustomMsg) handle(c Console) (Console, tea.Cmd) {
	do, ctx := c.opt.RunCustom, c.fx.ctx
	c, said := c.say("Running " + m.command.Name + "…")
	return c, tea.Batch(said, func() tea.Msg {
		out, err := do(ctx, m.run)
		return customMsg{m.command, out, err}
	})
}

// customRun fills a command's words in, or says why it cannot be run.
func customRun(c Console, x config.Command) (CustomRun, string) {
	if c.opt.RunCustom == nil {
		return CustomRun{}, "commands cannot be run here"
	}
	var item model.View
	if d := c.detail(); d != nil {
		item = d.View
	} else if x.OfItem() {
		return CustomRun{}, "the work item is not read yet"
	}
	argv, stdin, err := x.Filled(c.place.agent, item)
	if err != nil {
		return CustomRun{}, err.Error()
	}
	return CustomRun{Argv: argv, Stdin: stdin}, ""
}

// askingCustom asks before a dangerous command.
func askingCustom(x config.Command, run CustomRun) widget.Dialog {
	return &widget.Form{
		Title: "Run " + x.Name,
		Head: func(x widget.Context, _ *widget.Form) []string {
			return append(x.Warn("This command is marked as dangerous."), "", x.Note("  "+x.Show(model.Text(strings.Join(run.Argv, " ")))))
		},
		Foot:   "{submit} run · {close} cancel",
		Submit: func(widget.Context, *widget.Form) widget.Result { return widget.Intent{Msg: startCustomMsg{x, run}} },
		Chord:  true,
	}
}

// handle shows what a command wrote, where its settings say.
func (m customMsg) handle(c Console) (Console, tea.Cmd) {
	lines := model.Text(strings.TrimRight(m.output, "\n")).Lines()
	last := "It wrote nothing."
	if len(lines) > 0 {
		last = lines[len(lines)-1]
	}
	if m.err != nil {
		return c.complain(fmt.Errorf("%s: %w. %s", m.command.Name, m.err, last))
	}
	if m.command.Output != config.ToPopup && m.command.Output != config.ToPane || c.layers.dialog() != nil {
		return c.say(m.command.Name + ": " + last)
	}
	c.note.text = ""
	return c.open(&widget.Pager{Title: m.command.Name, Output: true, Full: m.command.Output == config.ToPane, Foot: "{output-close} close",
		Lines: func(x widget.Context, _ int) []string {
			out := make([]string, len(lines))
			for i, l := range lines {
				out[i] = " " + x.Text.Paint(x.Safe(l))
			}
			return out
		}})
}

// openCustom lists the operator's commands and filters.
func openCustom(c Console) (Console, tea.Cmd) {
	lines := actionLines(c, func(a action.Action) bool { return a.Group == action.Owned })
	if lines = append(lines, filterLines(c.opt.Settings)...); len(lines) == 0 {
		return c.say("Nothing of your own yet: commands: and filters: in config.yaml make some; vise config schema tells how.")
	}
	return c.open(runMenu("Your own", lines))
}

// maxFilterName bounds the name of a filter, in Unicode scalars.
const maxFilterName = 40

// savingFilter asks for the name of the filter that holds.
func savingFilter(c Console) (Console, tea.Cmd) {
	save, words := c.opt.SaveFilter, c.place.filter
	if save == nil {
		return c.say("The configuration cannot be changed from here.")
	}
	return c.open(&widget.Form{
		Title:  "Save filter",
		Fields: []widget.FormField{{Label: "Name", Field: textField(1, maxFilterName)}},
		Head: func(x widget.Context, _ *widget.Form) []string {
			return []string{x.Note(x.Show(model.Text(words))), ""}
		},
		Tail: func(x widget.Context, _ *widget.Form) []string {
			return append([]string{""}, x.Notes("It stands in the palette then, and in vise list --filter NAME.")...)
		},
		Foot: "{submit-line} save · {close} cancel",
		Submit: func(_ widget.Context, f *widget.Form) widget.Result {
			name := f.Value(0)
			if name == "" {
				return widget.Trouble("a filter needs a name")
			}
			return widget.Effect{Do: func() tea.Msg {
				if err := save(c.fx.ctx, name, words); err != nil {
					return complainMsg{err}
				}
				return sayMsg("Filter " + model.Text(name).String() + " is saved.")
			}}
		},
	})
}
