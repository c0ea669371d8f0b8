package accessible

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
)

// itemView holds the data for an item's menu.
type itemView struct {
	row    model.Row
	detail model.Detail
	state  action.State
}

// item shows the menu of one item: its pages and its actions.
func (s *session) item(ctx context.Context, id model.ItemID) error {
	for {
		l, err := s.readItem(ctx, id)
		if err != nil {
			return err
		}
		done, err := s.choose(ctx, s.itemWords(l), append(s.readings(l), s.offered(l)...))
		if done || err != nil {
			return err
		}
	}
}

func (s *session) readItem(ctx context.Context, id model.ItemID) (itemView, error) {
	var l itemView
	err := s.View(ctx, func(r model.Reader) error {
		var err error
		if l.detail, err = model.DetailOf(r, id, model.Stamp{At: s.Now()}); err != nil {
			return err
		}
		l.row = l.detail.Row
		l.state = action.State{Item: &l.row, Agent: s.agent, Editor: s.Plans != nil, Agents: len(r.Agents("", rowsRead))}
		l.state.Undo, l.state.Redo = s.history.Words()
		l.state.Desk = model.DeskOf(r, s.agent, model.Stamp{At: s.Now()}, func(model.Class) int { return 1 })
		l.state.Need = l.detail.Need
		return nil
	})
	return l, err
}

func (s *session) itemWords(l itemView) string {
	if l.row.OfAgent() {
		return rowWords(l.row, s.Now()) + "."
	}
	words := fmt.Sprintf("%s. Plan %s.", rowWords(l.row, s.Now()), model.Spaced(l.row.PlanStatus))
	return words + verifiedWords(l.detail.Evidence)
}

// verifiedWords says how far the work is verified and what would verify it; it returns "" if nothing is known.
func verifiedWords(e model.Evidence) string {
	if !e.IsKnown() {
		return ""
	}
	words := fmt.Sprintf(" It is %s.", e.Words())
	if run := e.ToVerify(); run != "" {
		words += fmt.Sprintf(" To verify it, %s.", run)
		if needs := e.Needs(); needs != "" {
			words += fmt.Sprintf(" %s.", needs)
		}
	}
	return words
}

// readings are the pages of an item.
func (s *session) readings(l itemView) []option {
	id := string(l.row.ID)
	verb := func(words string, args ...string) option {
		return option{words, func(ctx context.Context) error { return s.run(ctx, args...) }, action.Open}
	}
	if l.row.OfAgent() {
		return []option{verb("When it runs next, and why it rests", "why", string(l.row.AgentID))}
	}
	out := []option{
		verb("Read all of it", "show", id), verb("Read the plan", "plan", "show", id), verb("Why it stands where it stands", "why", id),
		verb("What happened to it", "events", "--item", id, "--limit", "20"), verb("Read the report", "report", id),
	}
	if s.Plans == nil {
		return out
	}
	return append(out, option{"Search the plan", func(ctx context.Context) error { return s.search(ctx, l) }, action.Filter},
		acting(action.Changes, func(ctx context.Context) error { return s.changes(ctx, l) }))
}

// offered returns the actions of the table that make sense now. The others share one line that gives the reasons.
func (s *session) offered(l itemView) []option {
	does := map[action.ID]func(context.Context) error{action.Undo: s.undo, action.Redo: s.redo}
	for id, do := range acts {
		does[id] = func(ctx context.Context) error { return do(s, ctx, l) }
	}
	return append(s.enabled(l.state, does), s.customOptions(&l)...)
}

// acts carry out the actions on an item, by the table's ids.
var acts = map[action.ID]func(*session, context.Context, itemView) error{
	action.Pick: (*session).pick, action.Complete: (*session).complete, action.Block: (*session).block, action.Wait: (*session).wait,
	action.Answer: (*session).answer, action.Review: (*session).review, action.EditPlan: (*session).editPlan,
	action.TodoList: (*session).todos, action.Objective: (*session).objective, action.Status: (*session).status,
	action.Report: (*session).report, action.Priority: (*session).priority, action.Acknowledge: (*session).acknowledge,
	action.Snooze:  (*session).snooze,
	action.CopyOf:  (*session).copies,
	action.New:     func(s *session, ctx context.Context, _ itemView) error { return s.create(ctx) },
	action.Message: func(s *session, ctx context.Context, _ itemView) error { return s.message(ctx) },
}

// seen returns the flag with the revision that the operator saw. A change of a newer item is then refused.
func (l itemView) seen() []string {
	return []string{string(l.row.ID), "--if-revision", strconv.FormatUint(l.row.Revision, 10)}
}

func (s *session) pick(ctx context.Context, l itemView) error {
	var args []string
	if o := l.state.Desk.PickOutlook(l.row); o.AsksReason {
		reason, err := s.ask(ctx, fmt.Sprintf("Why leave %s? Empty: no reason is recorded:", o.From.Handle))
		if err != nil {
			return err
		}
		if reason != "" {
			args = []string{"--reason=" + reason}
		}
	}
	return s.runUndoable(ctx, "picked", l, "", "pick", args...)
}

func (s *session) complete(ctx context.Context, l itemView) error {
	args := append([]string{"complete"}, l.seen()...)
	if u := l.detail.Unfinished(); u != nil {
		s.say("%s.", model.Text(u.Message))
	}
	more, err := s.askCompletion(ctx, l)
	if err != nil || more == nil {
		return err
	}
	args = append(args, more...)
	report, err := s.written(ctx, action.Complete, string(l.row.ID), "The report, or nothing.")
	if err != nil {
		return err
	}
	if ok, err := s.yes(ctx, "It is final and cannot be reopened. Complete "+string(l.row.Handle)+"?"); err != nil || !ok {
		s.say("Not completed.")
		return err
	}
	if report != "" {
		args = append(args, "--report-file", "-")
	}
	return s.runWritten(ctx, action.Complete, string(l.row.ID), report, args...)
}

func (s *session) block(ctx context.Context, l itemView) error {
	if l.row.BlockedBy != "" {
		if ok, err := s.yes(ctx, fmt.Sprintf("Blocked by %s. Clear it?", l.row.BlockedBy)); err != nil || !ok {
			return err
		}
		return s.runUndoable(ctx, "unblocked", l, "", "unblock")
	}
	why, err := s.ask(ctx, "What can it not advance without?")
	if err != nil || why == "" {
		return err
	}
	recheck, err := s.recheck(ctx)
	if err != nil {
		return err
	}
	return s.runUndoable(ctx, "blocked", l, "", "block", append(recheck, "--", why)...)
}

// recheck asks when to look again, and returns flags of a command.
func (s *session) recheck(ctx context.Context) ([]string, error) {
	for {
		in, err := s.ask(ctx, "Look again after, as 30m or 16:00 (empty: the default):")
		if err != nil || in == "" {
			return nil, err
		}
		at, err := model.ParseTime(in, s.Now())
		if err == nil {
			return []string{"--recheck", at.Sub(s.Now()).Round(time.Second).String()}, nil
		}
		s.say("%s.", model.Text(err.Error()))
	}
}

// detail is a further question about a wait, and its flag.
type detail struct{ question, flag string }

func (s *session) wait(ctx context.Context, l itemView) error {
	kind := func(words, flag, question string, more ...detail) option {
		return option{words, func(ctx context.Context) error { return s.waits(ctx, l, detail{question, flag}, more) }, ""}
	}
	_, err := s.choose(ctx, "What should it wait for?", []option{
		kind("An answer of the operator", "--operator", "The question:", detail{"Answers to propose, with | between (empty: none):",
			"--choice"}),
		kind("A task or delegation", "--task", "Its id:"),
		kind("Something outside", "--external", "What, as github:owner/repo#7:",
			detail{"Who will tell, as ci (empty: anybody):", "--source"}, detail{"What must be so (empty: anything):", "--condition"}),
		kind("A time", "--timer", "When, as 30m, 16:00 or tomorrow 9:"),
	})
	return err
}

// waits asks for the other details of a wait, and sets the wait.
func (s *session) waits(ctx context.Context, l itemView, what detail, more []detail) error {
	value, err := s.ask(ctx, what.question)
	if err != nil || value == "" {
		return err
	}
	args := []string{what.flag + "=" + value}
	for _, d := range append(more, detail{"Why, which becomes its blocker (empty: made of the rest):", "--reason"}) {
		in, err := s.ask(ctx, d.question)
		if err != nil {
			return err
		}
		parts := []string{in}
		if d.flag == "--choice" {
			parts = strings.Split(in, "|")
		}
		for _, p := range parts {
			if p = strings.TrimSpace(p); p != "" {
				args = append(args, d.flag+"="+p)
			}
		}
	}
	if what.flag != "--timer" {
		recheck, err := s.recheck(ctx)
		if err != nil {
			return err
		}
		args = append(args, recheck...)
	}
	return s.runUndoable(ctx, "parked", l, "", "wait", args...)
}

func (s *session) answer(ctx context.Context, l itemView) error {
	if id, is := l.row.Permission(); is {
		return s.permit(ctx, l, id)
	}
	q, ok := l.detail.Question()
	if !ok {
		s.say("%s asks nothing any more.", l.row.Handle)
		return nil
	}
	send := func(words string) func(context.Context) error {
		return func(ctx context.Context) error { return s.reply(ctx, l, q, words) }
	}
	var options []option
	for _, c := range q.Ask.Choices {
		options = append(options, option{c.String(), send(c.Raw()), ""}) // raw: returned to the program that offered it
	}
	options = append(options, option{"In your own words", func(ctx context.Context) error {
		words, err := s.written(ctx, action.Answer, string(l.row.ID), "The answer.")
		if err != nil || words == "" {
			return err
		}
		return send(words)(ctx)
	}, ""})
	asks := cmp.Or(q.Ask.Question, q.Reason, "Its plan needs input; the plan says what is missing.")
	_, err := s.choose(ctx, fmt.Sprintf("Question: %s", asks), options)
	return err
}

// permit answers a permission request of a program.
func (s *session) permit(ctx context.Context, l itemView, id model.PermissionID) error {
	var options []option
	for _, answer := range []model.PermissionAnswer{model.PermitOnce, model.PermitAlways, model.PermitDeny} {
		options = append(options, option{string(answer), func(ctx context.Context) error {
			return s.run(ctx, "permit", string(id), string(answer))
		}, ""})
	}
	_, err := s.choose(ctx, fmt.Sprintf("May it use %s?", l.detail.Objective), options)
	return err
}

// reply sends an answer to the question that was shown.
func (s *session) reply(ctx context.Context, l itemView, q model.Question, words string) error {
	args := append([]string{"answer"}, l.seen()...)
	if q.PlanNeedsInput {
		ready, err := s.yes(ctx, "Is the plan ready with it?")
		if err != nil {
			return err
		}
		if ready {
			args = append(args, "--plan-ready")
		}
	}
	return s.runWritten(ctx, action.Answer, string(l.row.ID), "", append(args, "--", words)...)
}

// review shows an item whose trigger needs a review; otherwise it tries a stalled item or its agent again.
func (s *session) review(ctx context.Context, l itemView) error {
	if l.state.Review() {
		return s.run(ctx, "show", string(l.row.ID))
	}
	r := l.state.Retry()
	return s.run(ctx, "retry", cmp.Or(string(r.WorkItemID), string(r.AgentID)))
}

func (s *session) objective(ctx context.Context, l itemView) error {
	return s.asked(ctx, "The objective:", func(words string) error {
		return s.runUndoable(ctx, "gave another objective to", l, "", "update", "--objective="+words)
	})
}

func (s *session) status(ctx context.Context, l itemView) error {
	return s.chooseValue(ctx, l, "The plan is", "set the plan status of", "--plan-status", "draft", "ready", "needs_input")
}

func (s *session) priority(ctx context.Context, l itemView) error {
	return s.chooseValue(ctx, l, "The priority is", "set the priority of", "--priority", "high", "normal", "low")
}

// chooseValue asks for one of a field's values, and updates the field with its flag.
func (s *session) chooseValue(ctx context.Context, l itemView, question, did, flag string, values ...string) error {
	var options []option
	for _, v := range values {
		options = append(options, option{model.Spaced(v), func(ctx context.Context) error {
			return s.runUndoable(ctx, did, l, "", "update", flag, v)
		}, ""})
	}
	_, err := s.choose(ctx, question, options)
	return err
}

// report gives a completed item its report: one of the offered reports, the operator's own words, or none.
func (s *session) report(ctx context.Context, l itemView) error {
	id := string(l.row.ID)
	own := func(ctx context.Context) error {
		words, err := s.written(ctx, action.Report, id, "Your report, or nothing.")
		if err != nil || words == "" {
			return err
		}
		return s.runWritten(ctx, action.Report, id, words, "report", id, "--file", "-")
	}
	if len(l.detail.Offered) == 0 {
		return own(ctx)
	}
	var options []option
	for i, o := range l.detail.Offered {
		options = append(options, option{fmt.Sprintf("Keep this, %s: %s", model.Spaced(o.Provenance), o.Text),
			func(ctx context.Context) error { return s.run(ctx, "report", id, fmt.Sprintf("--offered=%d", i+1)) }, ""})
	}
	options = append(options, option{"Your own words", own, ""},
		option{"None of them: it stays without a report, and asks no more",
			func(ctx context.Context) error { return s.run(ctx, "report", id, "--none") }, ""})
	_, err := s.choose(ctx, "Completed without a report. Which words are it?", options)
	return err
}

func (s *session) acknowledge(ctx context.Context, l itemView) error {
	done, err := s.ran(ctx, "", append([]string{"ack"}, l.seen()...)...)
	if done {
		s.did(nil, model.Receipt{Inverse: s.inverse}, "acknowledged "+string(l.row.Handle))
	}
	return err
}

func (s *session) snooze(ctx context.Context, l itemView) error {
	if l.detail.Need.Hidden(s.Now()) {
		return s.runUndoable(ctx, "brought back", l, "", "snooze", "--withdraw")
	}
	return s.asked(ctx, "Until when, as 2h, tomorrow 9 or change, its next change:", func(until string) error {
		return s.runUndoable(ctx, "snoozed", l, "", "snooze", "--until", until)
	})
}

func (s *session) create(ctx context.Context) error {
	return s.asked(ctx, "The objective of the new work item:", func(words string) error { return s.run(ctx, "new", "--", words) })
}

func (s *session) message(ctx context.Context) error {
	of := string(s.agent)
	words, err := s.written(ctx, action.Message, of, fmt.Sprintf("What to say to %s.", model.Text(s.agent)))
	if err != nil || words == "" {
		return err
	}
	return s.runWritten(ctx, action.Message, of, "", "say", of, "--", words)
}
