package console

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/workstate"
	"vise/ui/action"
	"vise/ui/text"
)

// way is a way on from a thread: its action, the command that it means, why it is closed.
type way struct {
	id action.ID
	// shows is the command that is meant, or what happens.
	shows model.Text
	off   string
	take  func(Console) (Console, tea.Cmd)
}

// ways are what can be done about the thread at the cursor. Git is only read: what changes
// the work tree is copied, for the operator to run.
func (b berth) ways(c Console) []way {
	if b.Thread.ID == "" {
		return []way{b.fresh(c)}
	}
	return []way{b.goOn(), b.gitWay(action.RadarSwitch, "switch"), b.fresh(c), b.rebind(), b.gitWay(action.RadarDiff, "diff"), b.run()}
}

func (b berth) goOn() way {
	w := way{id: action.RadarGo, shows: "it becomes the active thread", take: acting(
		ThreadAct{Repo: b.in.Repo, Command: workstate.Resume{Task: string(b.Thread.ID)}}, "On with "+string(b.Thread.ID))}
	switch {
	case b.Parked():
		w.off = action.Keyed("it is parked: {thread-rebind} takes it over, {thread-switch} goes to where it was saved")
	case b.Active && b.Thread.Status == workstate.InProgress:
		w.off = "it is the active thread already"
	}
	return w
}

func (b berth) rebind() way {
	w := way{id: action.RadarRebind, shows: "take it over to " + b.in.Git.BranchName(), take: opening(b.rebinding)}
	if !b.Parked() {
		w.off = "it belongs here"
	}
	return w
}

func (b berth) fresh(c Console) way {
	return way{id: action.RadarFresh, shows: "begin another thread here, on " + here(c, b).Git.BranchName(), take: opening(b.starting)}
}

// here is the repository of a row, or that around the console where there is no row.
func here(c Console, b berth) workstate.Radar {
	if b.in.Repo == "" && len(c.radar.seen) > 0 {
		return c.radar.seen[0]
	}
	return b.in
}

// gitWay copies a git command; the one that compares is offered for a loaded thread, too.
func (b berth) gitWay(id action.ID, kind string) way {
	w := way{id: id, off: "it belongs here"}
	remedies := b.Judgement.Remedies(b.Thread.ID)
	if j := b.Judgement; kind == "diff" && j.Loadable {
		w.off = "nothing was committed since it was saved"
		if workstate.IsCommit(j.SavedHead) && j.SavedHead != j.CurrentHead {
			remedies = []workstate.Remedy{{Kind: "diff", Command: model.Text("git diff " + j.SavedHead + " HEAD")}}
		}
	}
	for _, m := range remedies {
		if m.Kind != kind {
			continue
		}
		if !b.here {
			m = m.In(b.in.Repo.Raw()) // raw: handed on, not shown
		}
		w.shows, w.off, w.take = m.Command, "", copying(m.Command)
	}
	return w
}

// run offers what the thread recommends. The facts go to the active thread, so only there.
func (b berth) run() way {
	w := way{id: action.RadarRun, shows: "what it recommends, once you confirmed it word by word", take: b.recommended}
	switch {
	case len(b.Thread.Suggested()) == 0:
		w.off = "it recommends no command"
	case !b.Active:
		w.off = action.Keyed("it is not the active thread: {thread-go-on} goes on with it")
	}
	return w
}

// acting closes the board and posts an act.
func acting(a ThreadAct, said string) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) { return c.post(job{thread: &a, said: said}) }
}

// copying puts a command on the clipboard, unless pasting it would do more than it shows.
func copying(command model.Text) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) {
		if _, plain := workstate.Argv(command); !plain {
			return c.complain(model.Refuse(model.CodeRefused, "the command holds what a terminal hides or a shell would obey; it is not copied").
				WithHint("vise thread list --parked shows it"))
		}
		return c.clip("The command", command.Raw()) // raw: plain words only, as Argv says
	}
}

// rebinding asks before a thread of another branch is taken over.
func (b berth) rebinding(c Console) dialog {
	return &form{
		title: fmt.Sprintf("Take %s over to %s", b.Thread.ID, text.Cut(c.show(b.in.Git.BranchName()), 30)),
		head: func(s surroundings, _ *form) []string {
			w := d80(s.layout.w)
			out := s.wrapped(b.Thread.Goal, w, s.skin.strong)
			out = append(out, s.wrapped(b.Judgement.Line(), w, s.skin.needsYou)...)
			out = append(out, "")
			return append(out, s.warnLine("From here on it belongs to this branch: what it says of files and of verified facts was seen elsewhere. Going back to its branch would wake it as it is.")...)
		},
		foot: func(*form) string { return action.Keyed("{submit-line} takes it over · {close} leaves it parked") },
		submit: func(surroundings, *form) wish {
			return wish{next: acting(ThreadAct{Repo: b.in.Repo, Command: workstate.Resume{Task: string(b.Thread.ID), Rebind: true}}, "Took "+string(b.Thread.ID)+" over")}
		},
	}
}

// starting asks for the goal of another thread in the row's repository.
func (b berth) starting(c Console) dialog {
	repo, goal, item := here(c, b).Repo, "", model.ItemID("")
	if r := c.row(); r != nil && len(r.Objective) <= 240 {
		goal, item = r.Objective.String(), r.ID
	}
	f := &form{
		title:  "Begin a thread",
		head:   func(s surroundings, _ *form) []string { return []string{s.mutedLine("in " + c.show(repo)), ""} },
		fields: []formField{{label: "Goal", field: newField(goal, 1, 240)}},
		tail: func(s surroundings, _ *form) []string {
			out := []string{"", s.mutedLine("The thread that is active there is paused.")}
			if r := s.row(); item != "" && r != nil {
				out = append(out, s.mutedLine("It is linked to "+string(r.Handle)+"."))
			}
			return out
		},
		foot: func(*form) string { return action.Keyed("{submit-line} begin · {close} cancel") },
		submit: func(_ surroundings, f *form) wish {
			if f.fields[0].empty() {
				return wish{trouble: "a thread needs a goal"}
			}
			return wish{next: acting(ThreadAct{Repo: repo, Command: workstate.Start{Goal: f.text(0)}, Item: item}, "Began a thread")}
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
	argv, plain := workstate.Argv(command)
	f := &form{title: "Run a command of the thread " + string(b.Thread.ID)}
	f.head = func(s surroundings, _ *form) []string {
		w := d80(s.layout.w)
		out := []string{s.mutedLine("in " + s.show(b.in.Repo)), ""}
		if !plain {
			out = append(out, s.wrapped(command, w, s.skin.text)...)
			return append(append(out, ""), s.warnLine("It needs a shell, or holds hidden characters: vise does not run it. Type it yourself, if you mean it.")...)
		}
		words := make([]string, len(argv))
		for i, word := range argv {
			words[i] = s.skin.mark(s.show(model.Text(word)))
		}
		for _, l := range text.Wrap(strings.Join(words, " "), w-2) {
			out = append(out, " "+s.skin.strong.paint(l))
		}
		return append(append(out, ""), s.warnLine("An agent wrote this. These words run as they stand, without a shell, as you. How it ends becomes a fact of the thread.")...)
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
		return wish{next: func(c Console) (Console, tea.Cmd) { return c, c.fx.record(b.in.Repo, argv) }}
	}
	return f
}
