package console

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// welcome is the box of the first run. Nothing is written before a choice is carried out.
type welcome struct {
	fx    *effects
	first *FirstRun
	at    int
}

var welcomeLines = []string{
	"Create the ledger and add my first agent",
	"Look around with demo data (in memory, nothing is saved)",
	"Read an existing Holon home",
	"Show the exact lines vise would add for each one (dry run)",
}

// dryRunLine is the choice that stands below the programs that were found.
const dryRunLine = 3

// In is part of widget.Dialog.
func (d *welcome) In() action.Context { return action.Menu }

// Paste is part of widget.Dialog.
func (d *welcome) Paste(string) {}

// Press is part of widget.Dialog.
func (d *welcome) Press(k widget.Key, _ widget.Context) (widget.Dialog, widget.Result) {
	switch s := k.String(); {
	case s == "q" || k.ID == action.MenuClose:
		return d, widget.Effect{Do: tea.Quit}
	case s == "j" || k.ID == action.MenuDown:
		d.at = min(d.at+1, len(welcomeLines)-1)
	case s == "k" || k.ID == action.MenuUp:
		d.at = max(d.at-1, 0)
	case k.ID == action.MenuRun:
		return d, d.choice()
	case k.Code >= '1' && int(k.Code-'1') < len(welcomeLines):
		d.at = int(k.Code - '1')
		return d, d.choice()
	}
	return d, nil
}

// choice is what the line at the cursor asks for.
func (d *welcome) choice() widget.Result {
	switch d.at {
	case 0:
		return widget.Open{Dialog: d.nameAgent()}
	case 1:
		return widget.Effect{Do: d.fx.start(d.first, Choice{Kind: ChooseDemo})}
	case dryRunLine:
		return d.dryRun()
	}
	return widget.Open{Dialog: d.askHolon()}
}

// Draw is part of widget.Dialog.
func (d *welcome) Draw(x widget.Context) widget.Drawn {
	var lines []string
	for _, l := range text.Wrap("No ledger yet at "+model.Text(d.first.Home).String()+". Nothing has been written.", x.Inner()-2) {
		lines = append(lines, " "+l)
	}
	lines = append(lines, "")
	for i, l := range welcomeLines {
		if i == dryRunLine {
			found := "Found no agent program that vise can be put into."
			if len(d.first.Programs) > 0 {
				found = "Found: " + x.Show(model.Text(strings.Join(d.first.Programs, "   ")))
			}
			lines = append(lines, "", x.Note(found))
		}
		mark := " "
		if i == d.at {
			mark = x.Glyph.Cursor
		}
		lines = append(lines, x.Strip(x.Inner(), i == d.at, x.Key.Of(" "+mark+" "), x.Key.Of(fmt.Sprintf("%d  ", i+1)), x.Text.Of(l)))
	}
	lines = append(lines, "", x.Note("The same on the command line:  vise init --help"))
	return x.Dialog("Welcome to vise", "1-4 choose · q quit", lines)
}

// nameAgent asks how the first agent is called.
func (d *welcome) nameAgent() widget.Dialog {
	return &widget.Form{
		Title: "Create the ledger",
		Head: func(x widget.Context, _ *widget.Form) []string {
			return []string{x.Note("It is created at " + model.Text(d.first.Home).String() + ", for you alone."), ""}
		},
		Fields: []widget.FormField{{Label: "First agent   a-z, 0-9, - and _", Field: widget.NewField(string(d.first.Agent), 1, 64)}},
		Foot:   "{submit-line} create · {close} back",
		Submit: func(_ widget.Context, f *widget.Form) widget.Result {
			if !model.ValidID(f.Value(0)) {
				return widget.Trouble("use 1 to 64 of a-z, 0-9, - and _, beginning with a letter or digit")
			}
			return widget.Effect{Do: d.fx.start(d.first, Choice{Kind: ChooseCreate, Agent: model.AgentID(f.Value(0))}), Waits: true}
		},
	}
}

// askHolon asks where the Holon home is, and counts before anything is written.
func (d *welcome) askHolon() widget.Dialog {
	return &widget.Form{
		Title: "Read a Holon home",
		Head: func(x widget.Context, _ *widget.Form) []string {
			return []string{x.Note("It is read, never written."), ""}
		},
		Fields: []widget.FormField{{Label: "Directory", Field: textField(1, 4096)}},
		Foot:   "{submit-line} count what is there · {close} back",
		Submit: func(_ widget.Context, f *widget.Form) widget.Result {
			if f.Fields[0].Empty() {
				return widget.Trouble("name the directory")
			}
			return widget.Effect{Do: d.fx.survey(d.first, f.Value(0)), Waits: true}
		},
	}
}

// confirmImport shows what was counted.
func (d *welcome) confirmImport(dir string, v Survey) widget.Dialog {
	return &widget.Form{
		Title: "Import a Holon home",
		Head: func(x widget.Context, _ *widget.Form) []string {
			out := []string{
				" " + x.Cut(model.Text(dir), x.Inner()-2), "",
				fmt.Sprintf(" %d %s, %d work items (%d open), %d waits", v.Agents, screen.Plural(v.Agents, "agent", "agents"), v.Items, v.Open, v.Waits),
			}
			for i, p := range v.Problems {
				if i == 5 {
					out = append(out, x.Warn(fmt.Sprintf("and %d more", len(v.Problems)-i))...)
					break
				}
				out = append(out, x.Warn(p.String())...)
			}
			return append(out, "", x.Note("They are copied into "+model.Text(d.first.Home).String()+"."))
		},
		Foot: "{submit-line} import · {close} back",
		Submit: func(widget.Context, *widget.Form) widget.Result {
			return widget.Effect{Do: d.fx.start(d.first, Choice{Kind: ChooseImport, Dir: dir}), Waits: true}
		},
	}
}

// dryRun asks for the lines that vise would add, or says why there are none.
func (d *welcome) dryRun() widget.Result {
	f, ctx := d.first, d.fx.ctx
	if len(f.Programs) == 0 || f.Lines == nil {
		return widget.Trouble("no agent program was found; any MCP client can start: vise mcp --agent NAME")
	}
	return widget.Effect{Do: func() tea.Msg {
		lines, err := f.Lines(ctx, f.Programs)
		return linesMsg{lines, err}
	}}
}

// linesMsg is what vise would add to the settings of the programs that were found.
type linesMsg struct {
	lines model.Text
	err   error
}

// first is the box of the first run, if it is still there.
func (l layers) first() (*welcome, bool) {
	if len(l) == 0 {
		return nil, false
	}
	d, ok := l[0].(*welcome)
	return d, ok
}

// handle shows the lines over the box of the first run.
func (m linesMsg) handle(c Console) (Console, tea.Cmd) {
	if _, ok := c.layers.first(); !ok {
		return c, nil
	}
	if m.err != nil {
		return c.complain(m.err)
	}
	return c.open(diffPager("What vise would add  nothing is written", "{read-close} close", m.lines))
}

// handle shows what an import would bring, before anything is written.
func (m surveyMsg) handle(c Console) (Console, tea.Cmd) {
	if m.err != nil {
		return c.failedStart(m.err)
	}
	d, ok := c.layers.first()
	if !ok {
		return c, nil
	}
	c.note.clear()
	c.layers = c.layers[:1]
	return c.open(d.confirmImport(m.dir, m.survey))
}

// diffPager shows the lines of a unified diff.
func diffPager(title, foot string, diff model.Text) *widget.Pager {
	return &widget.Pager{Title: title, Foot: foot, Lines: func(x widget.Context, w int) (out []string) {
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

// handle moves from the first run to the desk.
func (m sessionMsg) handle(c Console) (Console, tea.Cmd) {
	if m.err == nil && m.session.Ledger == nil {
		m.err = errors.New("the ledger did not open")
	}
	if m.err != nil {
		return c.failedStart(m.err)
	}
	fx := *c.fx
	fx.Session = m.session
	c.fx, c.layers = &fx, nil
	c.note.clear()
	if m.session.Agent != "" {
		c.place = c.place.goTo(m.session.Agent)
	}
	if m.created {
		return c, tea.Batch(c.fx.opened(), c.fx.offer(c.opt.FirstRun, 0))
	}
	return c, c.fx.opened()
}

// failedStart gives the box of the first run back to the operator.
func (c Console) failedStart(err error) (Console, tea.Cmd) {
	c.layers.refused()
	return c.complain(err)
}

// After the first run created the ledger, the programs that were found are offered one by
// one: each shows its lines, and only the key that applies them writes.

type (
	// offerMsg is what vise would add to the settings of one program.
	offerMsg struct {
		program int
		lines   model.Text
		err     error
	}
	// installedMsg is what became of the lines of one program.
	installedMsg struct {
		program int
		err     error
	}
)

// offer asks for the lines of the n-th program; after the last there is nothing to ask.
func (e *effects) offer(f *FirstRun, n int) tea.Cmd {
	if f == nil || f.Lines == nil || f.Install == nil || n >= len(f.Programs) {
		return nil
	}
	return func() tea.Msg {
		lines, err := f.Lines(e.ctx, f.Programs[n:n+1])
		return offerMsg{n, lines, err}
	}
}

// handle shows the lines, unless the operator is already at something else.
func (m offerMsg) handle(c Console) (Console, tea.Cmd) {
	f := c.opt.FirstRun
	name := model.Text(f.Programs[m.program]).String()
	switch {
	case m.err != nil:
		return c.complain(m.err)
	case len(c.layers) > 0:
		return c.say("vise install " + name + " puts vise into it.")
	}
	p := diffPager(fmt.Sprintf("Put vise into %s?  nothing is written yet", name), "{read-apply} apply · {read-close} leave it as it is", m.lines)
	fx := c.fx
	p.Keys = map[action.ID]widget.Result{
		action.ReadApply: widget.Effect{Do: func() tea.Msg { return installedMsg{m.program, f.Install(fx.ctx, f.Programs[m.program])} }},
		action.ReadClose: widget.Effect{Do: fx.offer(f, m.program+1)},
	}
	return c.open(p)
}

// handle says what was written, and offers the next program.
func (m installedMsg) handle(c Console) (Console, tea.Cmd) {
	if m.err != nil {
		return c.complain(m.err)
	}
	name := model.Text(c.opt.FirstRun.Programs[m.program]).String()
	c, said := c.say("Put vise into " + name + ". vise install " + name + " --uninstall takes it out.")
	return c, tea.Batch(said, c.fx.offer(c.opt.FirstRun, m.program+1))
}
