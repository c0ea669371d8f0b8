package linear

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"vise/model"
	"vise/ui/action"
)

// look is an item as its menu needs it.
type look struct {
	row    model.Row
	detail model.Detail
	state  action.State
}

// item is the menu of one item: what can be read of it, and what can be done to it.
func (s *session) item(ctx context.Context, id model.ItemID) error {
	for {
		l, err := s.look(ctx, id)
		if err != nil {
			return err
		}
		done, err := s.choose(ctx, s.itemWords(l), append(s.readings(l), s.offered(l)...))
		if done || err != nil {
			return err
		}
	}
}

func (s *session) look(ctx context.Context, id model.ItemID) (look, error) {
	var l look
	err := s.View(ctx, func(r model.Reader) error {
		var err error
		if l.detail, err = model.DetailOf(r, id, model.Stamp{At: s.Now()}); err != nil {
			return err
		}
		w, _ := r.Item(id)
		waits := r.ItemWaits(w.AgentID, id)
		l.row = model.RowOf(w, waits, l.detail.IsCurrent)
		l.state = action.State{Item: &l.row, Agent: s.agent, Editor: true, Agents: len(r.Agents("", rowsRead))}
		l.state.Desk = model.DeskOf(r, s.agent, model.Stamp{At: s.Now()}, func(model.Class) int { return 1 })
		if x, ok := model.InboxOf(r, w, waits, l.detail.IsCurrent); ok {
			l.state.Need = &x
		}
		return nil
	})
	return l, err
}

func (s *session) itemWords(l look) string {
	return fmt.Sprintf("%s. Plan %s.", rowWords(l.row, s.Now()), strings.ReplaceAll(string(l.row.PlanStatus), "_", " "))
}

// readings are what can be read of an item.
func (s *session) readings(l look) []option {
	id := string(l.row.ID)
	verb := func(words string, args ...string) option {
		return option{words, func(ctx context.Context) error { return s.run(ctx, "", args...) }}
	}
	return []option{
		verb("Read all of it", "show", id), verb("Read the plan", "plan", "show", id), verb("Why it stands where it stands", "why", id),
		verb("What happened to it", "events", "--item", id, "--limit", "20"), verb("Read the report", "report", id),
	}
}

// offered are the acts of the table that make sense now. What does not is one line, which
// says why.
func (s *session) offered(l look) []option {
	var out []option
	var off []string
	for _, a := range action.Table {
		do, ok := acts[a.ID]
		if !ok {
			continue
		}
		if can, why := a.Enabled(l.state); !can {
			off = append(off, strings.TrimSuffix(a.Title, "…")+": "+why)
			continue
		}
		out = append(out, option{fmt.Sprintf("%s: %s", strings.TrimSuffix(a.Title, "…"), a.Does), func(ctx context.Context) error { return do(s, ctx, l) }})
	}
	if len(off) == 0 {
		return out
	}
	return append(out, option{fmt.Sprintf("What cannot be done now, and why: %d", len(off)), func(context.Context) error {
		for _, words := range off {
			s.say("%s.", words)
		}
		return nil
	}})
}

// acts are how the acts on an item are carried out, by the table's ids.
var acts = map[action.ID]func(*session, context.Context, look) error{
	action.Pick: (*session).pick, action.Complete: (*session).complete, action.Block: (*session).block, action.Wait: (*session).wait,
	action.Answer: (*session).answer, action.Review: (*session).review, action.EditPlan: (*session).editPlan,
	action.TodoList: (*session).todos, action.Objective: (*session).objective, action.Status: (*session).status,
	action.Report: (*session).report, action.Acknowledge: (*session).acknowledge,
	action.New:     func(s *session, ctx context.Context, _ look) error { return s.create(ctx) },
	action.Message: func(s *session, ctx context.Context, _ look) error { return s.message(ctx) },
}

// seen names the revision that was looked at: an act on what moved on is refused.
func (l look) seen() []string {
	return []string{string(l.row.ID), "--if-revision", strconv.FormatUint(l.row.Revision, 10)}
}

func (s *session) pick(ctx context.Context, l look) error {
	args := append([]string{"pick"}, l.seen()...)
	if o := l.state.Desk.PickOutlook(l.row); o.AsksReason {
		reason, err := s.ask(ctx, fmt.Sprintf("Why leave %s? Empty: no reason is recorded:", o.From.Handle))
		if err != nil {
			return err
		}
		if reason != "" {
			args = append(args, "--reason="+reason)
		}
	}
	return s.run(ctx, "", args...)
}

func (s *session) complete(ctx context.Context, l look) error {
	if u := l.detail.Unfinished(); u != nil {
		s.say("%s.", model.Text(u.Message))
	}
	report, err := s.lines(ctx, "The report, or nothing.")
	if err != nil {
		return err
	}
	if ok, err := s.yes(ctx, "It is final and cannot be reopened. Complete "+string(l.row.Handle)+"?"); err != nil || !ok {
		s.say("Not completed.")
		return err
	}
	args := append([]string{"complete"}, l.seen()...)
	if report != "" {
		args = append(args, "--report-file", "-")
	}
	return s.run(ctx, report, args...)
}

func (s *session) block(ctx context.Context, l look) error {
	if l.row.BlockedBy != "" {
		if ok, err := s.yes(ctx, fmt.Sprintf("Blocked by %s. Clear it?", l.row.BlockedBy)); err != nil || !ok {
			return err
		}
		return s.run(ctx, "", append([]string{"unblock"}, l.seen()...)...)
	}
	why, err := s.ask(ctx, "What can it not advance without?")
	if err != nil || why == "" {
		return err
	}
	return s.run(ctx, "", append(append([]string{"block"}, l.seen()...), "--", why)...)
}

func (s *session) wait(ctx context.Context, l look) error {
	kind := func(words, flag, question string, more ...string) option {
		return option{words, func(ctx context.Context) error {
			value, err := s.ask(ctx, question)
			if err != nil || value == "" {
				return err
			}
			args := append([]string{"wait"}, l.seen()...)
			return s.run(ctx, "", append(append(args, flag+"="+value), more...)...)
		}}
	}
	_, err := s.choose(ctx, "What should it wait for?", []option{
		kind("An answer of the operator", "--operator", "The question:"), kind("A task or delegation", "--task", "Its id:"),
		kind("Something outside", "--external", "What, as github:owner/repo#7:"), kind("A time", "--timer", "When, as 30m, 16:00 or tomorrow 9:"),
	})
	return err
}

func (s *session) answer(ctx context.Context, l look) error {
	question := l.row.Wait.Question
	var options []option
	send := func(words string) func(context.Context) error {
		return func(ctx context.Context) error { return s.run(ctx, "", "answer", string(l.row.ID), "--", words) }
	}
	for _, w := range l.detail.Waits {
		if w.Status == model.WaitActive && w.Ask.Question != "" {
			question = w.Ask.Question
			for _, c := range w.Ask.Choices {
				options = append(options, option{c.String(), send(c.Raw())}) // raw: back to whoever offered it
			}
			break
		}
	}
	options = append(options, option{"In your own words", func(ctx context.Context) error {
		words, err := s.lines(ctx, "The answer.")
		if err != nil || words == "" {
			return err
		}
		return send(words)(ctx)
	}})
	_, err := s.choose(ctx, fmt.Sprintf("Question: %s", question), options)
	return err
}

func (s *session) review(ctx context.Context, l look) error {
	return s.run(ctx, "", "show", string(l.row.ID))
}

func (s *session) editPlan(ctx context.Context, l look) error {
	return s.run(ctx, "", "plan", "edit", string(l.row.ID))
}

func (s *session) objective(ctx context.Context, l look) error {
	words, err := s.ask(ctx, "The objective:")
	if err != nil || words == "" {
		return err
	}
	return s.run(ctx, "", append(append([]string{"update"}, l.seen()...), "--objective="+words)...)
}

func (s *session) status(ctx context.Context, l look) error {
	var options []option
	for _, p := range []model.PlanStatus{model.Draft, model.Ready, model.NeedsInput} {
		options = append(options, option{strings.ReplaceAll(string(p), "_", " "), func(ctx context.Context) error {
			return s.run(ctx, "", append(append([]string{"update"}, l.seen()...), "--plan-status", string(p))...)
		}})
	}
	_, err := s.choose(ctx, "The plan is", options)
	return err
}

func (s *session) report(ctx context.Context, l look) error {
	if err := s.run(ctx, "", "report", string(l.row.ID)); err != nil {
		return err
	}
	words, err := s.lines(ctx, "Your report, or nothing.")
	if err != nil || words == "" {
		return err
	}
	return s.run(ctx, words, "report", string(l.row.ID), "--file", "-")
}

func (s *session) acknowledge(ctx context.Context, l look) error {
	return s.run(ctx, "", append([]string{"ack"}, l.seen()...)...)
}

func (s *session) create(ctx context.Context) error {
	words, err := s.ask(ctx, "The objective of the new work item:")
	if err != nil || words == "" {
		return err
	}
	return s.run(ctx, "", "new", "--", words)
}

func (s *session) message(ctx context.Context) error {
	words, err := s.lines(ctx, fmt.Sprintf("What to say to %s.", model.Text(s.agent)))
	if err != nil || words == "" {
		return err
	}
	return s.run(ctx, "", "say", string(s.agent), "--", words)
}

// marks are how a checklist spells its states.
var marks = map[model.TodoState]string{model.TodoPending: " ", model.TodoInProgress: "~", model.TodoCompleted: "x"}

// todos changes the checklist one thing at a time, and saves it as one snapshot.
func (s *session) todos(ctx context.Context, l look) error {
	list := append([]model.Todo(nil), l.detail.TodoList...)
	save := func(ctx context.Context) error {
		var b strings.Builder
		for _, t := range list {
			fmt.Fprintf(&b, "- [%s] %s\n", marks[t.State], t.Text.Raw()) // raw: back into the ledger
		}
		return s.run(ctx, b.String(), append(append([]string{"update"}, l.seen()...), "--todos", "-")...)
	}
	options := []option{{"Add a todo", func(ctx context.Context) error {
		words, err := s.ask(ctx, "The todo:")
		if err != nil || words == "" {
			return err
		}
		list = append(list, model.Todo{Text: model.Text(words), State: model.TodoPending})
		return save(ctx)
	}}}
	for i, t := range list {
		options = append(options, option{fmt.Sprintf("%s, %s", t.Text, strings.ReplaceAll(string(t.State), "_", " ")), func(ctx context.Context) error {
			return s.todo(ctx, &list, i, save)
		}})
	}
	_, err := s.choose(ctx, "The checklist; a todo's number changes it", options)
	return err
}

func (s *session) todo(ctx context.Context, list *[]model.Todo, i int, save func(context.Context) error) error {
	to := func(words string, state model.TodoState) option {
		return option{words, func(ctx context.Context) error { (*list)[i].State = state; return save(ctx) }}
	}
	_, err := s.choose(ctx, (*list)[i].Text.String(), []option{
		to("Pending", model.TodoPending), to("In progress", model.TodoInProgress), to("Completed", model.TodoCompleted),
		{"Drop it", func(ctx context.Context) error {
			*list = append((*list)[:i:i], (*list)[i+1:]...)
			return save(ctx)
		}},
	})
	return err
}
