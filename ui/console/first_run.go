package console

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
)

// welcome is the box of the first run. Nothing is written before the operator makes a choice.
type welcome struct {
	menu
	fx    *effects
	first *FirstRun
}

func newWelcome(fx *effects, first *FirstRun) *welcome {
	d := &welcome{fx: fx, first: first}
	create := menuLine{Title: "Begin with my first agent", Result: opens{d.nameAgent()}}
	if n := len(first.Agents); len(first.Programs) > 0 {
		create.Result = effect{Do: d.start(first.Agents...)}
		if create.Title = "Begin with an agent for each program that was found"; n == 1 {
			create.Title = "Begin with the agent " + string(first.Agents[0])
		}
	}
	d.menu = menu{Title: "Welcome to vise", Foot: "1-3 choose · ? what they do · q quit", Below: d.said}
	d.Lines = []menuLine{
		create,
		{Title: "Look around with demo data (in memory, nothing is saved)", Result: effect{Do: d.start()}},
		{Title: "Show the exact lines vise would add for each one (dry run)", Result: d.dryRun()},
	}
	return d
}

// Press is part of dialog. The box stays open below the dialog that a choice opens.
func (d *welcome) Press(k keyPress, x facts) (open bool, m message) {
	switch {
	case k.String() == "q" || k.ID == action.Back:
		return true, effect{Do: tea.Quit}
	case k.String() == "?":
		return true, opens{d.help()}
	}
	_, m = d.menu.Press(k, x)
	return true, m
}

// said says where the ledger will be, and which programs were found.
func (d *welcome) said(x facts) []string {
	found := "No agent's program was found on your PATH."
	if len(d.first.Programs) > 0 {
		found = "Found: " + x.Show(model.Text(strings.Join(d.first.Programs, "   ")))
	}
	out := x.Hang(" ", x.Text, "Nothing is at "+clean(d.first.Home)+" yet, and nothing has been written.", x.Inner()-2)
	return slices.Concat(out, x.Notes(found), x.Notes("The same on the command line:  vise admin init --help"))
}

// help explains the choices and what follows each of them.
func (d *welcome) help() dialog {
	then := "Then it shows, a program at a time, the lines " +
		"that put vise into its settings: {copy} writes them, {back} leaves them out."
	if len(d.first.Programs) == 0 {
		then = "No agent's program was found. " + connects("NAME") + ", with the name that you give the first agent."
	}
	return &pager{Title: "The first minute", Foot: "{back} close", Lines: func(x facts, w int) (out []string) {
		for _, t := range []string{
			"1 makes the directory " + d.first.Home + ", for you alone, for all that vise keeps. " + then,
			"After that start your agent's program as always. Its desk has its work items, and the inbox what needs you.",
			"2 opens the same screen on scripted agents; nothing of it is saved.",
			"3 shows all lines that 1 would offer, and writes nothing.",
			"vise install PROGRAM --uninstall removes the lines again. On the desk {help} lists every key.",
		} {
			out = append(append(out, x.Wrapped(model.Text(x.Keyed(t)), w, x.Text)...), "")
		}
		return out[:len(out)-1]
	}}
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
			return effect{Do: d.start(model.AgentID(name)), Waits: true}
		},
	}
}

// connects says how a program that was not found works as an agent later.
func connects(agent model.AgentID) string {
	return "Once it is on your PATH, vise install PROGRAM --agent " + string(agent) + " connects it"
}

// dryRun shows the lines that vise would add, or says why there are none.
func (d *welcome) dryRun() message {
	f := d.first
	if len(f.Programs) == 0 || f.Lines == nil {
		return trouble("no agent's program was found. " + connects("NAME") + "; any MCP client can start vise mcp --agent NAME")
	}
	return effect{Do: attempt(func() (tea.Msg, error) {
		lines, err := f.Lines(d.fx.ctx, f.Programs)
		return openMsg{over: d, dialog: diffPager("What vise would add  nothing is written", "{back} close", lines)}, err
	})}
}

// start begins with these agents; without any, with the demo.
func (d *welcome) start(agents ...model.AgentID) tea.Cmd {
	return attempt(func() (tea.Msg, error) {
		s, err := d.first.Start(d.fx.ctx, agents)
		if err == nil && s.Ledger == nil {
			err = errors.New("the home did not open")
		}
		return act(func(c *console) { begin(c, s, len(agents) > 0) }), err
	})
}

// diffPager shows the lines of a unified diff.
func diffPager(title, foot string, diff model.Text) *pager {
	return &pager{Title: title, Foot: foot, Lines: func(x facts, w int) (out []string) {
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

// begin moves from the first run to the desk. created: its ledger is new.
func begin(c *console, s Session, created bool) {
	fx, f := *c.fx, c.opt.FirstRun
	fx.Session = s
	c.fx, c.layers = &fx, nil
	c.note.clear()
	if s.Agent != "" {
		c.place = c.place.goTo(s.Agent)
	}
	c.start(c.fx.opened())
	switch {
	case created && f != nil && len(f.Programs) == 0:
		c.say("No agent's program was found. " + connects(s.Agent) + ".")
	case created:
		c.start(c.fx.offer(f, 0, nil))
	}
}

// offer shows what vise would add to the settings of the n-th found program, after a new ledger was created.
// Only the key that applies the lines writes them. After the last program, vise waits for the first hook of
// each installed program.
func (e *effects) offer(f *FirstRun, n int, have []string) tea.Cmd {
	if f == nil || f.Lines == nil || f.Install == nil {
		return nil
	}
	if n >= len(f.Programs) {
		return e.awaitSigns(f, have)
	}
	return attempt(func() (tea.Msg, error) {
		lines, err := f.Lines(e.ctx, f.Programs[n:n+1])
		name := clean(f.Programs[n])
		title := fmt.Sprintf("Put vise into %s?  nothing is written yet", name)
		p := diffPager(title, "{copy} apply · {back} leave it as it is", lines)
		p.Keys = map[action.ID]message{
			action.CopyOf: effect{Do: e.install(f, n, have)}, action.Back: effect{Do: e.offer(f, n+1, have)},
		}
		return openMsg{dialog: p, otherwise: "vise install " + name + " puts vise into it."}, err
	})
}

// install adds vise to a program's settings, and offers the next program.
func (e *effects) install(f *FirstRun, n int, have []string) tea.Cmd {
	return attempt(func() (tea.Msg, error) {
		name := clean(f.Programs[n])
		said := sayMsg("Put vise into " + name + ". vise install " + name + " --uninstall removes it.")
		have = append(slices.Clone(have), f.Programs[n])
		return tea.BatchMsg{func() tea.Msg { return said }, e.offer(f, n+1, have)}, f.Install(e.ctx, f.Programs[n])
	})
}

// signs is the box that waits until a hook of each listed program was seen.
type signs struct {
	*pager
	seen map[string]bool
}

// signBeat is the time between two checks of the programs while the box is open.
const signBeat = 500 * time.Millisecond

// awaitSigns waits for the first hook of each installed program.
func (e *effects) awaitSigns(f *FirstRun, programs []string) tea.Cmd {
	if len(programs) == 0 || f.Seen == nil {
		return nil
	}
	d := &signs{seen: map[string]bool{}}
	foot := "{back} goes to the desk"
	d.pager = &pager{Title: "Your agents", Foot: foot, Lines: func(x facts, w int) (out []string) {
		for _, p := range programs {
			name := clean(p)
			mark, said := x.Muted.Paint(x.Glyph.Dot), "waiting for "+name+"'s first sign of life: start it in a terminal"
			if d.seen[p] {
				mark = x.Done.Paint(x.Glyph.Done)
				said = name + " is here: give it work there, or press " + x.KeyOf(action.New) + " on the desk"
			}
			out = append(out, x.Hang(" "+mark+" ", x.Text, said, w-4)...)
		}
		return out
	}}
	opened := openMsg{dialog: d, otherwise: "vise notices these programs when they start."}
	return func() tea.Msg { return tea.BatchMsg{func() tea.Msg { return opened }, e.lookFor(f, d, programs)} }
}

// lookFor checks the programs until all were seen, or until the box is closed.
func (e *effects) lookFor(f *FirstRun, d *signs, programs []string) tea.Cmd {
	return e.after(signBeat, func(c *console) {
		if !slices.Contains(c.layers, dialog(d)) {
			return
		}
		c.start(func() tea.Msg {
			seen := map[string]bool{}
			for _, p := range programs {
				seen[p] = f.Seen(model.AgentID(p))
			}
			return act(func(c *console) {
				if d.seen = seen; !slices.ContainsFunc(programs, func(p string) bool { return !seen[p] }) {
					return
				}
				c.start(e.lookFor(f, d, programs))
			})
		})
	})
}
