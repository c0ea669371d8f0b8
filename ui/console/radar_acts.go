package console

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
	"vise/ui/ways"
)

// take goes a way on.
func (b berth) take(w ways.Way) func(Console) (Console, tea.Cmd) {
	switch {
	case w.Copies != "":
		return copying(w.Copies)
	case w.ID == action.RadarGo:
		return acting(ThreadAct{Repo: b.In.Repo, Command: thread.Resume{Task: string(b.Thread.ID)}}, "On with "+string(b.Thread.ID))
	case w.ID == action.RadarRebind:
		return opening(b.rebinding)
	case w.ID == action.RadarRun:
		return b.recommended
	}
	return opening(b.starting)
}

// acting closes the board and posts an act.
func acting(a ThreadAct, said string) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) { return c.post(job{thread: &a, said: said}) }
}

// copying puts a command on the clipboard, unless pasting it would do more than it shows.
func copying(command model.Text) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) {
		if err := ways.Copyable(command); err != nil {
			return c.complain(err)
		}
		return c.clip("The command", command.Raw()) // raw: plain words only, as Copyable says
	}
}

// rebinding asks before a thread of another branch is taken over.
func (b berth) rebinding(c Console) dialog {
	return &form{
		title: fmt.Sprintf("Take %s over to %s", b.Thread.ID, text.Cut(c.show(b.In.Git.BranchName()), 30)),
		head: func(s surroundings, _ *form) []string {
			w := d80(s.layout.w)
			out := s.wrapped(b.Thread.Goal, w, s.styles.Strong)
			out = append(out, s.wrapped(b.Check.Line(), w, s.styles.NeedsYou)...)
			out = append(out, "")
			return append(out, s.warnLine(ways.Overtaking)...)
		},
		foot: func(*form) string { return action.Keyed("{submit-line} takes it over · {close} leaves it parked") },
		submit: func(surroundings, *form) wish {
			return wish{next: acting(ThreadAct{Repo: b.In.Repo, Command: thread.Resume{Task: string(b.Thread.ID), Rebind: true}}, "Took "+string(b.Thread.ID)+" over")}
		},
	}
}

// starting asks for the goal of another thread in the row's repository.
func (b berth) starting(c Console) dialog {
	repo, goal, item := b.In.Repo, "", model.ItemID("")
	if r := c.row(); r != nil && len(r.Objective) <= 240 {
		goal, item = r.Objective.String(), r.ID
	}
	f := &form{
		title:  "Begin a thread",
		head:   func(s surroundings, _ *form) []string { return []string{s.mutedLine("in " + c.show(repo)), ""} },
		fields: []formField{{label: "Goal", Field: widget.NewField(goal, 1, 240)}},
		tail: func(s surroundings, _ *form) []string {
			out := []string{"", s.mutedLine("The thread that is active there is paused.")}
			if r := s.row(); item != "" && r != nil {
				out = append(out, s.mutedLine("It is linked to "+string(r.Handle)+"."))
			}
			return out
		},
		foot: func(*form) string { return action.Keyed("{submit-line} begin · {close} cancel") },
		submit: func(_ surroundings, f *form) wish {
			if f.fields[0].Empty() {
				return wish{trouble: "a thread needs a goal"}
			}
			return wish{next: acting(ThreadAct{Repo: repo, Command: thread.Start{Goal: f.text(0)}, Item: item}, "Began a thread")}
		},
	}
	return f
}

// recommended asks which of the commands, then shows it word by word.
func (b berth) recommended(c Console) (Console, tea.Cmd) {
	commands := b.Thread.Suggested()
	if len(commands) == 1 {
		c.dialog = b.confirming(commands[0])
		return c, nil
	}
	m := &menu{title: "Run which?", foot: action.Keyed("{menu-run} or digit choose · {menu-close} close")}
	for i, command := range commands {
		l := menuLine{title: fmt.Sprintf("%d", i+1), does: c.show(command), wish: wish{next: func(c Console) (Console, tea.Cmd) {
			c.dialog = b.confirming(command)
			return c, nil
		}}}
		m.lines = append(m.lines, l)
	}
	c.dialog = m
	return c, nil
}

// confirming shows a command as the words that would be run. It is an agent's text: nothing
// runs before the operator has read it, no shell ever reads it, and what is more than words
// is not run at all.
func (b berth) confirming(command model.Text) dialog {
	argv, plain := thread.Argv(command)
	f := &form{title: "Run a command of the thread " + string(b.Thread.ID)}
	f.head = func(s surroundings, _ *form) []string {
		w := d80(s.layout.w)
		out := []string{s.mutedLine("in " + s.show(b.In.Repo)), ""}
		if !plain {
			out = append(out, s.wrapped(command, w, s.styles.Text)...)
			return append(append(out, ""), s.warnLine(ways.Unrunnable)...)
		}
		words := make([]string, len(argv))
		for i, word := range argv {
			words[i] = s.styles.Mark(s.show(model.Text(word)))
		}
		for _, l := range text.Wrap(strings.Join(words, " "), w-2) {
			out = append(out, " "+s.styles.Strong.Paint(l))
		}
		return append(append(out, ""), s.warnLine(ways.Recommending)...)
	}
	f.foot = func(*form) string {
		if !plain {
			return action.Keyed("{close} close")
		}
		return action.Keyed("{submit-line} runs it · {close} cancel")
	}
	f.submit = func(surroundings, *form) wish {
		if !plain {
			return wish{trouble: "vise does not run it"}
		}
		return wish{next: func(c Console) (Console, tea.Cmd) { return c, c.fx.record(b.In.Repo, argv) }}
	}
	return f
}
