package console

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
)

// After the first run created the ledger, the programs that were found are offered one by
// one: each shows its lines, and only the key that applies them writes.

// offerMsg is what vise would add to the settings of one program.
type offerMsg struct {
	program int
	lines   model.Text
	err     error
}

// appliedMsg is what became of the lines of one program.
type appliedMsg struct {
	program int
	err     error
}

// offer asks for the lines of the n-th program; after the last there is nothing to ask.
func (c Console) offer(n int) tea.Cmd {
	f, ctx := c.opt.FirstRun, c.fx.ctx
	if f == nil || f.Lines == nil || f.Install == nil || n >= len(f.Programs) {
		return nil
	}
	return func() tea.Msg {
		lines, err := f.Lines(ctx, f.Programs[n:n+1])
		return offerMsg{n, lines, err}
	}
}

// offered shows the lines, unless the operator is already at something else.
func (c Console) offered(m offerMsg) (Console, tea.Cmd) {
	name := model.Text(c.opt.FirstRun.Programs[m.program]).String()
	switch {
	case m.err != nil:
		return c.complain(m.err)
	case c.dialog != nil || c.find != nil:
		return c.say("vise install " + name + " puts vise into it.")
	}
	c.dialog = &offerReader{program: m.program, reader: reader{
		title: fmt.Sprintf("Put vise into %s?  nothing is written yet", name),
		lines: func(s surroundings) []string { return s.diffLines(m.lines) },
	}}
	return c, nil
}

// applied says what was written, and offers the next program.
func (c Console) applied(m appliedMsg) (Console, tea.Cmd) {
	if m.err != nil {
		return c.complain(m.err)
	}
	name := model.Text(c.opt.FirstRun.Programs[m.program]).String()
	c, said := c.say("Put vise into " + name + ". vise install " + name + " --uninstall takes it out.")
	return c, tea.Batch(said, c.offer(m.program+1))
}

// offerReader shows the lines of a program; one key applies them, closing leaves it.
type offerReader struct {
	reader
	program int
}

func (d *offerReader) press(k tea.KeyPressMsg, s surroundings) (dialog, wish) {
	if a, _ := action.Of(action.Reader, k); a.ID == action.ReadApply {
		return d, wish{next: func(c Console) (Console, tea.Cmd) { return c, c.install(d.program) }}
	}
	if next, _ := d.reader.press(k, s); next == nil {
		return d, wish{next: func(c Console) (Console, tea.Cmd) { return c, c.offer(d.program + 1) }}
	}
	return d, wish{}
}

func (d *offerReader) draw(w, h int, s surroundings) drawn {
	out := d.reader.draw(w, h, s)
	out.Foot = s.styles.Muted.Paint(action.Keyed("{read-apply} apply · {read-close} leave it as it is"))
	return out
}

func (d *offerReader) paste(string) dialog { return d }

// install puts vise into a program's settings.
func (c Console) install(n int) tea.Cmd {
	f, ctx := c.opt.FirstRun, c.fx.ctx
	return func() tea.Msg { return appliedMsg{n, f.Install(ctx, f.Programs[n])} }
}
