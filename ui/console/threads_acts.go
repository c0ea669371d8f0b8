package console

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
)

// threadRow is a thread in the dialog, with the effects that run its commands.
type threadRow struct {
	action.ThreadRow
	fx *effects
}

// take carries out the chosen action on a thread.
func (b threadRow) take(x facts, w action.ThreadAction) message {
	switch {
	case w.Copies != "":
		return copyCommand(w.Copies)
	case w.Kind == action.ThreadGo:
		return b.job(thread.Resume{Task: string(b.Thread.ID)}, "On with "+string(b.Thread.ID))
	case w.Kind == action.ThreadRebind:
		return opens{b.rebinding(x)}
	case w.Kind == action.ThreadRun:
		return opens{b.recommended(x)}
	}
	return opens{b.starting(x)}
}

// job is a command in the thread's repository.
func (b threadRow) job(c thread.Command, said string) message {
	return job{thread: &ThreadAct{Repo: b.In.Repo, Command: c}, said: said}
}

// copyCommand copies a command to the clipboard, unless pasting it would do more than it shows.
func copyCommand(command model.Text) act {
	return func(c *console) {
		if err := action.RunsAsItStands(command); err != nil {
			c.complain(err)
			return
		}
		c.clip("The command", command.Raw()) // raw: plain words only, as RunsAsItStands has checked
	}
}

// rebinding asks before a thread of another branch moves to this branch.
func (b threadRow) rebinding(x facts) dialog {
	return &form{
		Title: fmt.Sprintf("Take %s over to %s", b.Thread.ID, x.Cut(b.In.Git.BranchName(), 30)),
		Head: func(x facts) []string {
			w := x.Inner()
			return append(x.Wrapped(b.Thread.Goal, w, x.Strong), x.Wrapped(b.Check.Line(), w, x.NeedsYou)...)
		},
		Warn: func(facts) []string { return []string{action.TakeOverHint} },
		Foot: "{open} takes it over · {back} leaves it parked",
		Submit: func(facts) message {
			return b.job(thread.Resume{Task: string(b.Thread.ID), Rebind: true}, "Took "+string(b.Thread.ID)+" over")
		},
	}
}

// starting asks for the goal of a new thread in the row's repository.
func (b threadRow) starting(x facts) dialog {
	a, linked := ThreadAct{Repo: b.In.Repo}, ""
	var begin thread.Start
	goal := lineField("Goal", 240, &begin.Goal, "a thread needs a goal")
	if r := x.State.Item; r != nil && len(r.Objective) <= 240 {
		goal.Set(r.Objective.String())
		a.Item, linked = r.ID, "It is linked to "+string(r.Handle)+"."
	}
	return &form{
		Title:  "Begin a thread",
		Head:   func(x facts) []string { return []string{x.Note("in " + x.Show(a.Repo)), ""} },
		Fields: []formField{goal},
		Tail: func(x facts) []string {
			out := []string{"", x.Note("The thread that is active there is paused.")}
			if linked != "" {
				out = append(out, x.Note(linked))
			}
			return out
		},
		Foot: "{open} begin · {back} cancel",
		Submit: func(facts) message {
			a.Command = begin
			return job{thread: &a, said: "Began a thread"}
		},
	}
}

// recommended asks which command to run, then shows it word by word.
func (b threadRow) recommended(x facts) dialog {
	commands := b.Thread.Suggested()
	if len(commands) == 1 {
		return b.confirming(commands[0])
	}
	m := &menu{Title: "Run which?"}
	for _, command := range commands {
		m.Lines = append(m.Lines, menuLine{Does: x.Show(command), Result: opens{b.confirming(command)}})
	}
	return m
}

// confirming shows a command as the words to run. The text comes from an agent: nothing runs before the
// operator has read it, no shell reads it, and a text that is more than plain words is never run.
func (b threadRow) confirming(command model.Text) dialog {
	argv, plain := thread.Argv(command)
	f := &form{Title: "Run a command of the thread " + string(b.Thread.ID), Foot: "{open} runs it · {back} cancel"}
	hint := action.RecommendedHint
	if !plain {
		f.Foot, hint = "{back} close", action.NotRunnableHint
	}
	f.Warn = func(facts) []string { return []string{hint} }
	f.Head = func(x facts) []string {
		w := x.Inner()
		out := []string{x.Note("in " + x.Show(b.In.Repo)), ""}
		if !plain {
			return append(out, x.Wrapped(command, w, x.Text)...)
		}
		words := make([]string, len(argv))
		for i, word := range argv {
			words[i] = x.Mark(x.Show(model.Text(word)))
		}
		return append(out, x.Hang(" ", x.Strong, strings.Join(words, " "), w-2)...)
	}
	f.Submit = func(facts) message {
		if !plain {
			return trouble("vise does not run it")
		}
		return effect{Do: b.fx.record(b.In.Repo, argv)}
	}
	return f
}
