package console

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/acp"
	"vise/ui/action"
)

// newWelcome is the box of the first run. Nothing is written before the operator makes a choice. It stays open below what a choice opens.
func newWelcome(fx *effects, first *FirstRun) *welcome {
	d := &welcome{fx: fx, first: first}
	d.menu = menu{Title: "Welcome to vise", Foot: "{open} or a digit choose · q quit", Below: func(x facts) []string {
		out := x.Hang(" ", x.Text, "Nothing is at "+clean(first.Home)+" yet, and nothing has been written.", x.Inner()-2)
		if len(d.Lines) == 2 {
			out = append(out, x.Notes("No program that vise can start was found on your PATH. "+
				"npm install -g @anthropic-ai/claude-code installs Claude Code.")...)
		}
		return out
	}}
	for i, agent := range first.Agents {
		if _, ok := acp.Named(string(agent)); ok && slices.Contains(first.Programs, string(agent)) {
			others := slices.Delete(slices.Clone(first.Agents), i, i+1)
			d.Lines = append(d.Lines, menuLine{Title: "Start " + string(agent) + " on …", Result: opens{d.objective(agent, others)}})
		}
	}
	d.Lines = append(d.Lines,
		menuLine{Title: "Look around with demo data (in memory, nothing is saved)", Result: effect{Do: d.start("")}},
		menuLine{Title: "More: start nothing yet, programs in their own terminals, Holon", Result: opens{d.more()}})
	return d
}

type welcome struct {
	menu
	fx    *effects
	first *FirstRun
}

// Press is part of dialog.
func (d *welcome) Press(k keyPress, x facts) (open bool, m message) {
	if k.String() == "q" || k.ID == action.Back {
		return true, effect{Do: tea.Quit}
	}
	_, m = d.menu.Press(k, x)
	return true, m
}

// objective asks what an agent should do, and starts it. The others are made too.
func (d *welcome) objective(agent model.AgentID, others []model.AgentID) dialog {
	var said model.Text
	return &form{
		Title: "Start " + string(agent) + " on …",
		Head: func(x facts) []string {
			return append(x.Notes("It works in "+clean(d.first.Dir)+", and asks you before it changes a file or runs a command. "+
				"vise keeps its work at "+clean(d.first.Home)+", for you alone."), "")
		},
		Fields: []formField{lineField("What should "+string(agent)+" do?", model.MaxObjective, &said, "say what it should do")},
		Foot:   "{open} start · {back} back",
		Submit: func(facts) message {
			return effect{Do: d.start(said, append([]model.AgentID{agent}, others...)...), Waits: true}
		},
	}
}

// more is what few need at first.
func (d *welcome) more() dialog {
	f := d.first
	m := &menu{Title: "More", Foot: "{open} or a digit choose · {back} back", Below: func(x facts) []string {
		return slices.Concat(
			x.Notes("A program in its own terminal works as an agent after vise install PROGRAM; "+
				"any MCP client can start vise mcp --agent NAME."),
			x.Notes("vise admin import holon DIR takes over the work of a Holon agent."),
			x.Notes("The same on the command line: vise admin init --help"))
	}}
	begin := menuLine{Title: "Begin, and start nothing yet", Result: opens{d.nameAgent()}}
	if len(f.Programs) > 0 {
		begin.Result = effect{Do: d.start("", f.Agents...)}
	}
	m.Lines = []menuLine{begin}
	if len(f.Programs) > 0 {
		m.Lines = append(m.Lines, menuLine{
			Title: "Show what vise install would add to each program's settings",
			Result: effect{Do: attempt(func() (tea.Msg, error) {
				lines, err := f.Lines(d.fx.ctx, f.Programs)
				return opens{installed(lines)}, err
			})},
		})
	}
	return m
}

// nameAgent asks for the name of the first agent.
func (d *welcome) nameAgent() dialog {
	var name model.Text
	field := lineField("First agent   a-z, 0-9, - and _", 64, &name, "")
	field.Proposed = string(d.first.Agents[0])
	return &form{
		Title: "Your first agent",
		Head: func(x facts) []string {
			return []string{x.Note("vise keeps its work at " + clean(d.first.Home) + ", for you alone."), ""}
		},
		Fields: []formField{field},
		Foot:   "{open} create · {back} back",
		Submit: func(facts) message {
			if !model.ValidID(name.Raw()) { // raw: checked here
				return trouble("use 1 to 64 of a-z, 0-9, - and _, beginning with a letter or digit")
			}
			// raw: a valid id
			return effect{Do: d.start("", model.AgentID(name)), Waits: true}
		},
	}
}

// start begins with these agents, the first of which is started with an objective; without any, with the demo.
func (d *welcome) start(objective model.Text, agents ...model.AgentID) tea.Cmd {
	return attempt(func() (tea.Msg, error) {
		s, err := d.first.Start(d.fx.ctx, agents, objective)
		if err == nil && s.Ledger == nil {
			err = errors.New("the home did not open")
		}
		return act(func(c *console) {
			fx := *c.fx
			fx.Session = s
			c.fx, c.layers = &fx, nil
			c.note.clear()
			if s.Agent != "" {
				c.place = c.place.goTo(s.Agent)
			}
			if c.start(c.fx.opened()); objective != "" {
				startAgent(c)
			}
		}), err
	})
}

// installed shows the lines of a unified diff, which vise install would write.
func installed(diff model.Text) *pager {
	title := "What vise install would add  nothing is written"
	return &pager{Title: title, Foot: "{back} close", Lines: func(x facts, w int) (out []string) {
		for _, line := range diff.Lines() {
			ink := x.Text
			switch {
			case strings.HasPrefix(line, "+"):
				ink = x.Added
			case strings.HasPrefix(line, "-"):
				ink = x.Removed
			}
			out = append(out, x.Wrapped(model.Text(line), w, ink)...)
		}
		return out
	}}
}
