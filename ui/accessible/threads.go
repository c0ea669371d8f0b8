package accessible

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
)

// threadsMenu lists the threads of all repositories that can be continued.
func (s *dialogue) threadsMenu(ctx context.Context) error {
	if s.Threads == nil {
		s.say("Threads are not read here.")
		return nil
	}
	for {
		seen := s.Threads.All(ctx)
		rows := action.ThreadRows(seen)
		var options []option
		for _, b := range rows {
			options = append(options, option{threadWords(b), func(ctx context.Context) error { return s.thread(ctx, b) }, action.Threads})
		}
		if len(rows) == 0 {
			s.say("No threads to resume.")
			options = s.threadOptions(action.NoThread(seen))
		}
		back, err := s.choose(ctx, "Where work was left", options)
		if back || err != nil {
			return err
		}
	}
}

// threadWords returns a thread in one line.
func threadWords(b action.ThreadRow) string {
	goal := cmp.Or(b.Thread.Goal, model.Text(b.Thread.ID))
	words := []string{b.State(), goal.String()}
	for _, o := range b.Items {
		words = append(words, string(o.Handle))
	}
	if b.Parked() {
		words = append(words, "wakes "+b.Check.Wake().String())
	}
	return strings.Join(append(words, b.In.Repo.String()), ", ")
}

// thread shows the state of a thread, and offers its actions.
func (s *dialogue) thread(ctx context.Context, b action.ThreadRow) error {
	if b.Thread.NextAction != "" {
		s.say("Next: %s", b.Thread.NextAction)
	}
	s.say("%s", b.Check.Line())
	_, err := s.choose(ctx, fmt.Sprintf("Thread %s", b.Thread.ID), s.threadOptions(b))
	return err
}

// threadOptions are the actions on a thread, and the reasons for those that cannot be done.
func (s *dialogue) threadOptions(b action.ThreadRow) []option {
	var out []option
	var off []string
	for _, w := range b.Actions() {
		a := action.Standard().ByID(w.ID)
		if w.Off != "" {
			off = append(off, title(a)+": "+action.Standard().Keyed(w.Off))
			continue
		}
		out = append(out, option{fmt.Sprintf("%s: %s", title(a), w.Shows),
			func(ctx context.Context) error { return s.actOnThread(ctx, b, w) }, w.ID})
	}
	return append(out, s.disabled(off)...)
}

// actOnThread carries out an action on a thread.
func (s *dialogue) actOnThread(ctx context.Context, b action.ThreadRow, w action.ThreadAction) error {
	on := []string{string(b.Thread.ID), "--repo", b.In.Repo.Raw()} // raw: passed on, not shown
	var questions []question
	switch {
	case w.Copies != "":
		if err := action.RunsAsItStands(w.Copies); err != nil {
			s.failed("Not done", err)
			return nil
		}
		s.clip(ctx, action.Copied{What: "The command", Text: w.Copies.Raw()}) // raw: plain words only, as Copyable says
		return nil
	case w.ID == action.ThreadRun:
		return s.recommended(ctx, b)
	case w.ID == action.ThreadRebind:
		s.say("%s", action.TakeOverHint)
		questions = []question{{ask: "Take " + string(b.Thread.ID) + " over?", yes: true, needed: true}}
	case w.ID != action.ThreadGo:
		on, questions = on[1:], []question{{ask: "Its goal:", needed: true}}
	}
	_, err := s.do(ctx, action.Standard().ByID(w.ID).Verb, on, questions...)
	return err
}

// recommended asks which of a thread's commands to run. The commands are an agent's text: vise runs none before it has shown the operator
// every word.
func (s *dialogue) recommended(ctx context.Context, b action.ThreadRow) error {
	var options []option
	for _, command := range b.Thread.Suggested() {
		options = append(options, plain(command.String(), func(ctx context.Context) error { return s.record(ctx, b, command) }))
	}
	_, err := s.choose(ctx, "Run which?", options)
	return err
}

func (s *dialogue) record(ctx context.Context, b action.ThreadRow, command model.Text) error {
	argv, plain := thread.Argv(command)
	if !plain {
		s.say("%s", action.NotRunnableHint)
		return nil
	}
	for i, w := range argv {
		s.say("Word %d: %s", i+1, model.Text(w))
	}
	s.say("%s", action.RecommendedHint)
	if ok, err := s.yes(ctx, "Run it in "+b.In.Repo.String()+"?"); err != nil || !ok {
		return err
	}
	c, err := s.Threads.Record(b.In.Repo, argv)
	if err != nil {
		s.failed("Not done", err)
		return nil
	}
	if err := s.onTerminal(c); err != nil {
		s.say("It failed (%s): the thread keeps that as a risk.", model.Text(err.Error()))
		return nil
	}
	s.say("It succeeded. If it validates something, that is a fact of the thread now.")
	return nil
}
