package linear

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/filter"
	"vise/ui/text"
)

// rowsRead bounds the rows of a class that a list says.
const rowsRead = 30

// view is what a menu is made of, read at one revision.
type view struct {
	desk   model.Desk
	inbox  []model.Inboxed
	agents []model.Agent
}

func (s *session) read(ctx context.Context) (view, error) {
	var v view
	err := s.View(ctx, func(r model.Reader) error {
		v.desk = model.DeskOf(r, s.agent, model.Stamp{At: s.Now()}, func(model.Class) int { return rowsRead })
		v.inbox = model.Inbox(r, s.Now(), rowsRead)
		v.agents = r.Agents("", rowsRead)
		return nil
	})
	return v, err
}

// home is the first menu, said again after whatever was done.
func (s *session) home(ctx context.Context) error {
	for {
		v, err := s.read(ctx)
		if err != nil {
			return err
		}
		done, err := s.choose(ctx, s.gist(v), s.places(v))
		if err != nil {
			return err
		}
		if done {
			s.say("This is the first menu; q quits.")
		}
	}
}

// gist says how the agent stands, in one line.
func (s *session) gist(v view) string {
	words := []string{fmt.Sprintf("Agent %s.", model.Text(s.agent))}
	if v.desk.Current != nil {
		words = append(words, fmt.Sprintf("Works on %s, %s.", v.desk.Current.Handle, v.desk.Current.Objective))
	}
	for _, x := range v.desk.Sections {
		if x.Total > 0 {
			words = append(words, fmt.Sprintf("%d %s.", x.Total, className(x.Class)))
		}
	}
	return strings.Join(words, " ")
}

func (s *session) places(v view) []option {
	out := []option{
		{fmt.Sprintf("What needs you, of all agents: %d", len(v.inbox)), func(ctx context.Context) error { return s.needs(ctx) }},
		{"Work items", func(ctx context.Context) error { return s.items(ctx, "") }},
		{action.ByID(action.New).Title, s.create},
		{action.ByID(action.Message).Title, s.message},
		{"What happened lately", func(ctx context.Context) error { return s.run(ctx, "", "events", "--limit", "20") }},
		{"Why this order", func(ctx context.Context) error { return s.run(ctx, "", "next") }},
		{fmt.Sprintf("Agents: %d", len(v.agents)), s.agents},
	}
	for _, name := range slices.Sorted(maps.Keys(s.Filters)) {
		words := s.Filters[name]
		out = append(out, option{"Filter " + model.Text(name).String(), func(ctx context.Context) error { return s.items(ctx, words) }})
	}
	return append(out, option{"Work items that hold certain words", func(ctx context.Context) error {
		words, err := s.ask(ctx, "Words:")
		if err != nil {
			return err
		}
		return s.items(ctx, words)
	}})
}

// needs lists the inbox.
func (s *session) needs(ctx context.Context) error {
	v, err := s.read(ctx)
	if err != nil {
		return err
	}
	if len(v.inbox) == 0 {
		s.say("Nothing needs you.")
		return nil
	}
	var options []option
	for _, x := range v.inbox {
		words := fmt.Sprintf("%s, %s, since %s: %s", x.Need, x.AgentID, text.Age(s.Now().Sub(x.Since)), rowWords(x.Row, s.Now()))
		options = append(options, option{words, func(ctx context.Context) error { return s.visit(ctx, x.AgentID, x.ID) }})
	}
	_, err = s.choose(ctx, "What needs you", options)
	return err
}

// visit goes to an item, of another agent too.
func (s *session) visit(ctx context.Context, agent model.AgentID, id model.ItemID) error {
	if agent != s.agent {
		s.agent = agent
		s.say("Agent %s.", model.Text(agent))
	}
	return s.item(ctx, id)
}

// items lists the agent's work items in the console's order.
func (s *session) items(ctx context.Context, words string) error {
	v, err := s.read(ctx)
	if err != nil {
		return err
	}
	f := filter.Parse(words, s.Now())
	if f.Trouble != "" {
		s.say("%s", f.Trouble)
	}
	var rows []model.Row
	if v.desk.Current != nil {
		rows = append(rows, *v.desk.Current)
	}
	for _, x := range v.desk.Sections {
		rows = append(rows, x.Rows...)
	}
	keep := f.Keeps(slices.Values(rows))
	var options []option
	for _, r := range rows {
		if keep(r) {
			options = append(options, option{rowWords(r, s.Now()), func(ctx context.Context) error { return s.item(ctx, r.ID) }})
		}
	}
	if len(options) == 0 {
		s.say("No work item.")
		return nil
	}
	_, err = s.choose(ctx, fmt.Sprintf("%d work items of %s", len(options), model.Text(s.agent)), options)
	return err
}

// agents chooses whose work is shown.
func (s *session) agents(ctx context.Context) error {
	v, err := s.read(ctx)
	if err != nil {
		return err
	}
	var options []option
	for _, a := range v.agents {
		words := fmt.Sprintf("%s, %s", model.Text(a.ID), a.Posture)
		options = append(options, option{words, func(context.Context) error { s.agent = a.ID; return nil }})
	}
	_, err = s.choose(ctx, "Agents", options)
	return err
}

// rowWords are an item in one line: no colour, no sign that is not a word.
func rowWords(r model.Row, now time.Time) string {
	words := []string{className(r.Class), string(r.Handle), r.Objective.String()}
	if r.IsCurrent {
		words[0] = "current"
	}
	if r.Todo.Total > 0 {
		words = append(words, fmt.Sprintf("%d of %d todos done", r.Todo.Done, r.Todo.Total))
	}
	switch {
	case r.Wait.Question != "":
		words = append(words, "asks: "+r.Wait.Question.String())
	case r.BlockedBy != "":
		words = append(words, "blocked by "+r.BlockedBy.String())
	}
	return strings.Join(append(words, text.Age(now.Sub(r.UpdatedAt))), ", ")
}

func className(c model.Class) string {
	switch c {
	case model.CurrentRunnable:
		return "runnable"
	case model.TriggeredBlocked:
		return "triggered"
	case model.WaitingForOperator:
		return "needs you"
	case model.QueuedRunnable:
		return "queued"
	case model.BlockedClass:
		return "blocked"
	case model.ReportOffered:
		return "report offered"
	}
	return "done"
}
