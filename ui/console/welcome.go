package console

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// welcome is the box of the first run. Nothing is written before a choice is carried out.
type welcomeDialog struct {
	first *FirstRun
	at    int
}

func welcome(f *FirstRun) dialog { return &welcomeDialog{first: f} }

var welcomeLines = []string{
	"Create the ledger and add my first agent",
	"Look around with demo data (in memory, nothing is saved)",
	"Read an existing Holon home",
	"Show the exact lines vise would add for each one (dry run)",
}

// dryRunLine is the choice that stands below the programs that were found.
const dryRunLine = 3

func (d *welcomeDialog) press(k tea.KeyPressMsg, _ surroundings) (dialog, wish) {
	switch s := k.String(); {
	case s == "q" || s == "esc":
		return d, wish{quit: true}
	case s == "down" || s == "j":
		d.at = min(d.at+1, len(welcomeLines)-1)
	case s == "up" || s == "k":
		d.at = max(d.at-1, 0)
	case s == "enter":
		return d.chosen(d.at)
	case k.Code >= '1' && int(k.Code-'1') < len(welcomeLines):
		return d.chosen(int(k.Code - '1'))
	}
	return d, wish{}
}

func (d *welcomeDialog) chosen(n int) (dialog, wish) {
	d.at = n
	switch n {
	case 0:
		return nameAgent(d.first), wish{}
	case 1:
		return d, wish{choice: &Choice{Kind: ChooseDemo}}
	}
	if n == dryRunLine {
		return d, d.first.dryRun()
	}
	return askHolon(d.first), wish{}
}

func (d *welcomeDialog) paste(string) dialog { return d }

func (d *welcomeDialog) draw(w, h int, s surroundings) drawn {
	k := s.styles
	out := drawn{w: dialogWidth(w)}
	out.Title, out.Focused, out.Foot = k.Strong.Paint("Welcome to vise"), true, k.Muted.Paint("1-4 choose · q quit")
	inner := d80(w)
	for _, l := range text.Wrap("No ledger yet at "+model.Text(d.first.Home).String()+". Nothing has been written.", inner-2) {
		out.Lines = append(out.Lines, " "+l)
	}
	out.Lines = append(out.Lines, "")
	for i, l := range welcomeLines {
		if i == dryRunLine {
			out.Lines = append(append(out.Lines, ""), s.foundLines(d.first.Programs)...)
		}
		mark := " "
		if i == d.at {
			mark = k.Glyph.Cursor
		}
		out.Lines = append(out.Lines, k.Strip(inner, i == d.at, k.Key.Of(" "+mark+" "), k.Key.Of(fmt.Sprintf("%d  ", i+1)), k.Text.Of(l)))
	}
	out.Lines = append(out.Lines, "", s.mutedLine("The same on the command line:  vise init --help"))
	out.h = min(len(out.Lines)+2, h)
	return out
}

// backToWelcome closes a form of the first run without leaving it.
type backToWelcome struct {
	*form
	first *FirstRun
}

func (b backToWelcome) press(k tea.KeyPressMsg, s surroundings) (dialog, wish) {
	d, w := b.form.press(k, s)
	if d == nil {
		return welcome(b.first), wish{}
	}
	return b, w
}

func (b backToWelcome) paste(s string) dialog {
	b.form.paste(s)
	return b
}

// nameAgent asks how the first agent is called.
func nameAgent(first *FirstRun) dialog {
	return backToWelcome{first: first, form: &form{
		title: "Create the ledger",
		head: func(s surroundings, _ *form) []string {
			return []string{s.mutedLine("It is created at " + model.Text(first.Home).String() + ", for you alone."), ""}
		},
		fields: []formField{{label: "First agent   a-z, 0-9, - and _", Field: widget.NewField(string(first.Agent), 1, 64)}},
		foot:   func(*form) string { return action.Keyed("{submit-line} create · {close} back") },
		submit: func(_ surroundings, f *form) wish {
			if !model.ValidID(f.value(0)) {
				return wish{trouble: "use 1 to 64 of a-z, 0-9, - and _, beginning with a letter or digit"}
			}
			return wish{choice: &Choice{Kind: ChooseCreate, Agent: model.AgentID(f.value(0))}}
		},
	}}
}

// askHolon asks where the Holon home is, and counts before anything is written.
func askHolon(first *FirstRun) dialog {
	return backToWelcome{first: first, form: &form{
		title:  "Read a Holon home",
		head:   func(s surroundings, _ *form) []string { return []string{s.mutedLine("It is read, never written."), ""} },
		fields: []formField{{label: "Directory", Field: widget.NewField("", 1, 4096)}},
		foot:   func(*form) string { return action.Keyed("{submit-line} count what is there · {close} back") },
		submit: func(_ surroundings, f *form) wish {
			if f.fields[0].Empty() {
				return wish{trouble: "name the directory"}
			}
			return wish{survey: f.value(0)}
		},
	}}
}

// confirmImport shows what was counted.
func confirmImport(first *FirstRun, dir string, v Survey) dialog {
	return backToWelcome{first: first, form: &form{
		title: "Import a Holon home",
		head: func(s surroundings, _ *form) []string {
			out := []string{
				" " + text.Cut(model.Text(dir).String(), d80(s.layout.w)-2), "",
				fmt.Sprintf(" %d %s, %d work items (%d open), %d waits", v.Agents, plural(v.Agents, "agent", "agents"), v.Items, v.Open, v.Waits),
			}
			for i, p := range v.Problems {
				if i == 5 {
					out = append(out, s.warnLine(fmt.Sprintf("and %d more", len(v.Problems)-i))...)
					break
				}
				out = append(out, s.warnLine(p.String())...)
			}
			return append(out, "", s.mutedLine("They are copied into "+model.Text(first.Home).String()+"."))
		},
		foot: func(*form) string { return action.Keyed("{submit-line} import · {close} back") },
		submit: func(surroundings, *form) wish {
			return wish{choice: &Choice{Kind: ChooseImport, Dir: dir}}
		},
	}}
}
