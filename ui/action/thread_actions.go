package action

import (
	"vise/model"
	"vise/model/thread"
)

// ThreadAction is an action on a thread, with what it does and why it may be unavailable.
type ThreadAction struct {
	Kind threadAct
	// Shows is the command that it runs, or what happens.
	Shows model.Text
	// Off is why it is unavailable; empty if it is available.
	Off string
	// Copies is a git command for the operator to run; empty if the action is done in another way.
	Copies model.Text
}

// threadAct is the name of an action on a thread.
type threadAct string

// The actions on a thread.
const (
	ThreadGo     threadAct = "Go on"
	threadSwitch threadAct = "Switch"
	threadFresh  threadAct = "Fresh…"
	ThreadRebind threadAct = "Rebind…"
	threadDiff   threadAct = "Diff"
	ThreadRun    threadAct = "Run…"
)

// ThreadRow is a thread in the threads view, with its repository.
type ThreadRow struct {
	thread.Row
	In thread.Overview
	// Here means that the frontend runs in this repository.
	Here bool
}

// ThreadRows returns the threads of all repositories in the order of the threads view, the frontend's repository first. If there are none,
// it returns a row without a thread: only the frontend's repository.
func ThreadRows(seen []thread.Overview) (out []ThreadRow) {
	for i, in := range seen {
		for _, b := range in.Rows {
			out = append(out, ThreadRow{b, in, i == 0})
		}
	}
	if len(out) == 0 && len(seen) > 0 {
		out = append(out, ThreadRow{In: seen[0], Here: true})
	}
	return out
}

// Actions returns what can be done with b. Without a thread that is only one action: beginning a thread in its repository. vise only reads
// Git: a command that changes the work tree is copied, and the operator runs it.
func (b ThreadRow) Actions() []ThreadAction {
	if b.Thread.ID == "" {
		return []ThreadAction{b.fresh()}
	}
	return []ThreadAction{b.goOn(), b.git(threadSwitch, "switch"), b.fresh(), b.rebind(), b.git(threadDiff, "diff"), b.run()}
}

func (b ThreadRow) goOn() ThreadAction {
	w := ThreadAction{Kind: ThreadGo, Shows: "it becomes the active thread"}
	switch {
	case b.Parked():
		w.Off = "it is parked: Rebind takes it over, Switch goes to where it was saved"
	case b.Active && b.Thread.Status == thread.InProgress:
		w.Off = "it is the active thread already"
	}
	return w
}

func (b ThreadRow) rebind() ThreadAction {
	w := ThreadAction{Kind: ThreadRebind, Shows: "take it over to " + b.In.Git.BranchName()}
	if !b.Parked() {
		w.Off = "it belongs here"
	}
	return w
}

func (b ThreadRow) fresh() ThreadAction {
	return ThreadAction{Kind: threadFresh, Shows: "begin another thread here, on " + b.In.Git.BranchName()}
}

// git copies a git command. The command that compares is also offered for a loaded thread.
func (b ThreadRow) git(act threadAct, kind string) ThreadAction {
	w := ThreadAction{Kind: act, Off: "it belongs here"}
	remedies := b.Check.Remedies(b.Thread.ID)
	if j := b.Check; kind == "diff" && j.Loadable {
		w.Off = "nothing was committed since it was saved"
		if thread.IsCommit(j.SavedHead) && j.SavedHead != j.CurrentHead {
			remedies = []thread.Remedy{{Kind: "diff", Command: model.Text("git diff " + j.SavedHead + " HEAD")}}
		}
	}
	for _, m := range remedies {
		if m.Kind != kind {
			continue
		}
		if !b.Here {
			m = m.In(b.In.Repo.Raw()) // raw: passed on, not shown
		}
		w.Shows, w.Off, w.Copies = m.Command, "", m.Command
	}
	return w
}

// run offers the commands that the thread recommends. Their results are recorded in the active thread, so it is offered only for that
// thread.
func (b ThreadRow) run() ThreadAction {
	w := ThreadAction{Kind: ThreadRun, Shows: "what it recommends, once you confirmed it word by word"}
	switch {
	case len(b.Thread.Suggested()) == 0:
		w.Off = "it recommends no command"
	case !b.Active:
		w.Off = "it is not the active thread: Go on makes it that"
	}
	return w
}

// RunsAsItStands refuses a command that would do more than it shows when it is pasted.
func RunsAsItStands(command model.Text) error {
	if _, plain := thread.Argv(command); !plain {
		return model.Refused("the command holds what a terminal hides or a shell would obey; it is not copied").
			WithHint("vise thread where shows it")
	}
	return nil
}

// TakeOverHint is shown before a thread of another branch is taken over.
const TakeOverHint = "From here on it belongs to this branch: what it says of files and of verified facts was seen elsewhere. Going back " +
	"to its branch would wake it as it is."

// RecommendedHint is shown before a command that a thread recommends is run.
const RecommendedHint = "An agent wrote this. These words run as they stand, without a shell, as you. How it ends becomes a fact of the " +
	"thread."

// NotRunnableHint is shown for a command that is more than plain words.
const NotRunnableHint = "It needs a shell, or holds hidden characters: vise does not run it. Type it yourself, if you mean it."
