package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/console/widget"
)

// OwnRun is a command of the operator's own, ready to be run.
type OwnRun struct {
	// Argv is run as it is; no shell reads it.
	Argv []string
	// Stdin is the work item as vise show --json has it, or the agent.
	Stdin []byte
}

// RunOwn runs a command and returns what it wrote, bounded. Its error is for the screen.
type RunOwn func(context.Context, OwnRun) (output string, err error)

// ownMsg is what became of a command of the operator's own.
type ownMsg struct {
	command config.Command
	output  string
	err     error
}

// ownCommand is the command behind an action of the table, if it is one.
func (c Console) ownCommand(id action.ID) (config.Command, bool) {
	i := slices.IndexFunc(c.opt.Settings.Commands, func(x config.Command) bool { return x.ID() == id })
	if i < 0 {
		return config.Command{}, false
	}
	return c.opt.Settings.Commands[i], true
}

// runOwn runs a command, after a question if it is dangerous.
func (c Console) runOwn(x config.Command) (Console, tea.Cmd) {
	run, why := c.ownRun(x)
	switch {
	case why != "":
		return c.say(sentence(why))
	case x.Dangerous:
		c.dialog = askingOwn(x, run)
		return c, nil
	}
	return c.startOwn(x, run)
}

func (c Console) startOwn(x config.Command, run OwnRun) (Console, tea.Cmd) {
	do, ctx := c.opt.RunOwn, c.fx.ctx
	c, said := c.say("Running " + x.Name + "…")
	return c, tea.Batch(said, func() tea.Msg {
		out, err := do(ctx, run)
		return ownMsg{x, out, err}
	})
}

// ownRun fills a command's words in, or says why it cannot be run.
func (c Console) ownRun(x config.Command) (OwnRun, string) {
	if c.opt.RunOwn == nil {
		return OwnRun{}, "commands cannot be run here"
	}
	var item model.View
	if d := c.detail(); d != nil {
		item = d.View
	} else if x.OfItem() {
		return OwnRun{}, "the work item is not read yet"
	}
	argv, stdin, err := x.Filled(c.place.agent, item)
	if err != nil {
		return OwnRun{}, err.Error()
	}
	return OwnRun{Argv: argv, Stdin: stdin}, ""
}

// askingOwn asks before a dangerous command.
func askingOwn(x config.Command, run OwnRun) dialog {
	return &form{
		title: "Run " + x.Name,
		head: func(s surroundings, _ *form) []string {
			return append(s.warnLine("This command is marked as dangerous."), "", s.mutedLine("  "+s.show(model.Text(strings.Join(run.Argv, " ")))))
		},
		tail: func(surroundings, *form) []string { return nil },
		foot: func(*form) string { return action.Keyed("{submit} run · {close} cancel") },
		submit: func(surroundings, *form) wish {
			return wish{next: func(c Console) (Console, tea.Cmd) { return c.startOwn(x, run) }}
		},
		chord: true,
	}
}

// ranOwn shows what a command wrote, where its settings say.
func (c Console) ranOwn(m ownMsg) (Console, tea.Cmd) {
	lines := model.Text(strings.TrimRight(m.output, "\n")).Lines()
	last := "It wrote nothing."
	if len(lines) > 0 {
		last = lines[len(lines)-1]
	}
	if m.err != nil {
		return c.complain(fmt.Errorf("%s: %w. %s", m.command.Name, m.err, last))
	}
	if m.command.Output != config.ToPopup && m.command.Output != config.ToPane || c.dialog != nil {
		return c.say(m.command.Name + ": " + last)
	}
	c.note.text = ""
	c.dialog = &pager{title: m.command.Name, lines: lines, over: m.command.Output == config.ToPane}
	return c, nil
}

// openOwn lists the operator's commands and filters.
func (c Console) openOwn() (Console, tea.Cmd) {
	m := &menu{title: "Your own", searchable: true, keyed: true, find: widget.NewField("", 1, maxSearch), foot: action.Keyed("{menu-run} run · {menu-close} close")}
	m.lines = append(actionLines(c, func(a action.Action) bool { return a.Group == action.Owned }), filterLines(c)...)
	if len(m.lines) == 0 {
		return c.say("Nothing of your own yet: commands: and filters: in config.yaml make some; vise config schema tells how.")
	}
	c.dialog = m
	return c, nil
}

// filterLines are the saved filters as lines of a menu.
func filterLines(c Console) []menuLine {
	var out []menuLine
	for _, name := range config.Names(c.opt.Settings.Filters) {
		words := c.opt.Settings.Filters[name]
		out = append(out, menuLine{group: "SAVED FILTERS", title: "Filter: " + name, does: words,
			wish: wish{next: func(c Console) (Console, tea.Cmd) { return c.filtered(words) }}})
	}
	return out
}

func (c Console) startSavingFilter() (Console, tea.Cmd) {
	if c.opt.SaveFilter == nil {
		return c.say("The configuration cannot be changed from here.")
	}
	c.dialog = savingFilter(c)
	return c, nil
}

// savingFilter asks for the name of the filter that holds.
func savingFilter(c Console) dialog {
	words := c.place.filter
	f := &form{
		title:  "Save filter",
		fields: []formField{{label: "Name", Field: widget.NewField("", 1, maxFilterName)}},
		head:   func(s surroundings, _ *form) []string { return []string{s.mutedLine(s.show(model.Text(words))), ""} },
		tail: func(s surroundings, _ *form) []string {
			return append([]string{""}, s.mutedLines("It stands in the palette then, and in vise list --filter NAME.")...)
		},
		foot: func(*form) string { return action.Keyed("{submit-line} save · {close} cancel") },
	}
	f.submit = func(_ surroundings, f *form) wish {
		name := f.value(0)
		if name == "" {
			return wish{trouble: "a filter needs a name"}
		}
		return wish{next: func(c Console) (Console, tea.Cmd) { return c.saveFilter(name, words) }}
	}
	return f
}

// maxFilterName bounds the name of a filter, in Unicode scalars.
const maxFilterName = 40

type filterSavedMsg struct {
	name string
	err  error
}

func (c Console) saveFilter(name, words string) (Console, tea.Cmd) {
	save, ctx := c.opt.SaveFilter, c.fx.ctx
	return c, func() tea.Msg { return filterSavedMsg{name, save(ctx, name, words)} }
}

func (c Console) filterSaved(m filterSavedMsg) (Console, tea.Cmd) {
	if m.err != nil {
		return c.complain(m.err)
	}
	return c.say("Filter " + model.Text(m.name).String() + " is saved.")
}
