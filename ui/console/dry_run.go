package console

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/text"
)

// linesMsg is what vise would add to the settings of the programs that were found.
type linesMsg struct {
	lines model.Text
	err   error
}

// dryRun asks for the lines, or says why there are none.
func (f *FirstRun) dryRun() wish {
	if len(f.Programs) == 0 || f.Lines == nil {
		return wish{trouble: "no agent program was found; any MCP client can start: vise mcp --agent NAME"}
	}
	return wish{next: func(c Console) (Console, tea.Cmd) {
		c.dialog = &welcomeDialog{first: f, at: dryRunLine}
		ctx := c.fx.ctx
		return c, func() tea.Msg {
			lines, err := f.Lines(ctx, f.Programs)
			return linesMsg{lines, err}
		}
	}}
}

// foundLines name the programs that vise could be put into.
func (s surroundings) foundLines(programs []string) []string {
	if len(programs) == 0 {
		return []string{s.mutedLine("Found no agent program that vise can be put into.")}
	}
	return []string{s.mutedLine("Found: " + s.show(model.Text(strings.Join(programs, "   "))))}
}

// dryRan shows the lines over the box of the first run, if that is still there.
func (c Console) dryRan(m linesMsg) (Console, tea.Cmd) {
	w, ok := c.dialog.(*welcomeDialog)
	switch {
	case !ok:
		return c, nil
	case m.err != nil:
		return c.complain(m.err)
	}
	c.dialog = &dryRunReader{first: w.first, reader: reader{
		title: "What vise would add  nothing is written",
		lines: func(s surroundings) []string { return s.diffLines(m.lines) },
	}}
	return c, nil
}

// diffLines are the lines of a unified diff, wrapped.
func (s surroundings) diffLines(diff model.Text) (out []string) {
	for _, line := range diff.Lines() {
		ink := s.styles.Text
		switch {
		case strings.HasPrefix(line, "+"):
			ink = s.styles.Added
		case strings.HasPrefix(line, "-"):
			ink = s.styles.Removed
		}
		for _, l := range text.Wrap(s.styles.Safe(line), max(min(s.layout.w, 110)-4, 8)) {
			out = append(out, " "+ink.Paint(l))
		}
	}
	return out
}

// dryRunReader closes to the box of the first run.
type dryRunReader struct {
	reader
	first *FirstRun
}

func (d *dryRunReader) press(k tea.KeyPressMsg, s surroundings) (dialog, wish) {
	if next, _ := d.reader.press(k, s); next == nil {
		return &welcomeDialog{first: d.first, at: dryRunLine}, wish{}
	}
	return d, wish{}
}

func (d *dryRunReader) paste(string) dialog { return d }
