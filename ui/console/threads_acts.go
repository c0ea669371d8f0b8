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
)

// threadRow is a thread in the dialog, with the effects that run its commands.
type threadRow struct {
	action.ThreadRow
	fx *effects
}

// take carries out the chosen action on a thread.
func (b threadRow) take(x widget.Context, w action.ThreadAction) widget.Result {
	switch {
	case w.Copies != "":
		return widget.Intent{Msg: copyCommandMsg(w.Copies)} // raw: copied, not shown
	case w.ID == action.ThreadGo:
		return b.job(thread.Resume{Task: string(b.Thread.ID)}, "On with "+string(b.Thread.ID))
	case w.ID == action.ThreadRebind:
		return widget.Open{Dialog: b.rebinding(x)}
	case w.ID == action.ThreadRun:
		return widget.Open{Dialog: b.recommended(x)}
	}
	return widget.Open{Dialog: b.starting(x)}
}

// job is a command in the thread's repository.
func (b threadRow) job(c thread.Command, said string) widget.Result {
	return widget.Intent{Msg: job{thread: &ThreadAct{Repo: b.In.Repo, Command: c}, said: said}}
}

// copyCommandMsg copies a command to the clipboard, unless pasting it would do more than it shows.
type copyCommandMsg model.Text

func (m copyCommandMsg) handle(c *console) tea.Cmd {
	command := model.Text(m)
	if err := action.RunsAsItStands(command); err != nil {
		return c.complain(err)
	}
	return c.clip("The command", command.Raw()) // raw: plain words only, as RunsAsItStands has checked
}

// rebinding asks before a thread of another branch moves to this branch.
func (b threadRow) rebinding(x widget.Context) widget.Dialog {
	return &widget.Form{
		Title: fmt.Sprintf("Take %s over to %s", b.Thread.ID, x.Cut(b.In.Git.BranchName(), 30)),
		Head: func(x widget.Context, _ *widget.Form) []string {
			w := x.Inner()
			out := x.Wrapped(b.Thread.Goal, w, x.Strong)
			out = append(out, x.Wrapped(b.Check.Line(), w, x.NeedsYou)...)
			out = append(out, "")
			return append(out, x.Warn(action.TakeOverHint)...)
		},
		Foot: "{submit-line} takes it over · {close} leaves it parked",
		Submit: func(widget.Context, *widget.Form) widget.Result {
			return b.job(thread.Resume{Task: string(b.Thread.ID), Rebind: true}, "Took "+string(b.Thread.ID)+" over")
		},
	}
}

// starting asks for the goal of a new thread in the row's repository.
func (b threadRow) starting(x widget.Context) widget.Dialog {
	repo, goal, item := b.In.Repo, "", model.ItemID("")
	if r := x.State.Item; r != nil && len(r.Objective) <= 240 {
		goal, item = r.Objective.String(), r.ID
	}
	f := &widget.Form{
		Title:  "Begin a thread",
		Head:   func(x widget.Context, _ *widget.Form) []string { return []string{x.Note("in " + x.Show(repo)), ""} },
		Fields: []widget.FormField{{Label: "Goal", Field: widget.NewField(goal, 1, 240)}},
		Tail: func(x widget.Context, _ *widget.Form) []string {
			out := []string{"", x.Note("The thread that is active there is paused.")}
			if r := x.State.Item; item != "" && r != nil {
				out = append(out, x.Note("It is linked to "+string(r.Handle)+"."))
			}
			return out
		},
		Foot: "{submit-line} begin · {close} cancel",
		Submit: func(_ widget.Context, f *widget.Form) widget.Result {
			if f.Fields[0].Empty() {
				return widget.Trouble("a thread needs a goal")
			}
			act := ThreadAct{Repo: repo, Command: thread.Start{Goal: f.Text(0)}, Item: item}
			return widget.Intent{Msg: job{thread: &act, said: "Began a thread"}}
		},
	}
	return f
}

// recommended asks which command to run, then shows it word by word.
func (b threadRow) recommended(x widget.Context) widget.Dialog {
	commands := b.Thread.Suggested()
	if len(commands) == 1 {
		return b.confirming(commands[0])
	}
	m := &widget.Menu{Title: "Run which?", Foot: "{menu-run} or digit choose · {menu-close} close"}
	for i, command := range commands {
		run := widget.Open{Dialog: b.confirming(command)}
		m.Lines = append(m.Lines, widget.MenuLine{Title: fmt.Sprint(i + 1), Does: x.Show(command), Result: run})
	}
	return m
}

// confirming shows a command as the words to run. The text comes from an agent: nothing runs before the
// operator has read it, no shell reads it, and a text that is more than plain words is never run.
func (b threadRow) confirming(command model.Text) widget.Dialog {
	argv, plain := thread.Argv(command)
	f := &widget.Form{Title: "Run a command of the thread " + string(b.Thread.ID)}
	f.Head = func(x widget.Context, _ *widget.Form) []string {
		w := x.Inner()
		out := []string{x.Note("in " + x.Show(b.In.Repo)), ""}
		if !plain {
			out = append(out, x.Wrapped(command, w, x.Text)...)
			return append(append(out, ""), x.Warn(action.NotRunnableHint)...)
		}
		words := make([]string, len(argv))
		for i, word := range argv {
			words[i] = x.Mark(x.Show(model.Text(word)))
		}
		for _, l := range text.Wrap(strings.Join(words, " "), w-2) {
			out = append(out, " "+x.Strong.Paint(l))
		}
		return append(append(out, ""), x.Warn(action.RecommendedHint)...)
	}
	f.Foot = "{submit-line} runs it · {close} cancel"
	if !plain {
		f.Foot = "{close} close"
	}
	f.Submit = func(widget.Context, *widget.Form) widget.Result {
		if !plain {
			return widget.Trouble("vise does not run it")
		}
		return widget.Effect{Do: b.fx.record(b.In.Repo, argv)}
	}
	return f
}
