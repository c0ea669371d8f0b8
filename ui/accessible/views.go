package accessible

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// agents lists all agents, the most urgent first, and offers the menu of one.
func (s *session) agents(ctx context.Context) error {
	v, err := s.read(ctx)
	if err != nil {
		return err
	}
	var options []option
	for _, m := range v.fleet.Agents {
		options = append(options, option{memberWords(m), func(ctx context.Context) error { return s.member(ctx, m.Agent) }, action.Agents})
	}
	_, err = s.choose(ctx, "Agents, those that want most attention first", options)
	return err
}

// memberWords returns an agent in one line.
func memberWords(m model.FleetMember) string {
	words := fmt.Sprintf("%s, %s", model.Text(m.Agent.ID), m.State)
	if d := m.Why.Decision; d.HeldBy != "" {
		words += fmt.Sprintf(", rests until %s: %s", d.Until.Format("15:04"), d.HeldBy)
	}
	if m.Current != nil {
		words += fmt.Sprintf(", current item %s, %s", m.Current.Handle, m.Current.Objective)
	}
	for _, c := range model.Classes {
		if n := m.Counts[c]; n > 0 && c != model.CompletedRecent {
			words += fmt.Sprintf(", %d %s", n, className(c))
		}
	}
	return words
}

// member shows the menu of one agent and makes it the session's agent.
func (s *session) member(ctx context.Context, a model.Agent) error {
	s.agent = a.ID
	name := string(a.ID)
	stop := option{"Stop it: no turn begins, a running one ends",
		func(ctx context.Context) error { return s.run(ctx, "agents", "stop", name) }, action.MenuPosture}
	if a.Posture == model.Stopped {
		stop = option{"Resume it: it may run again", func(ctx context.Context) error { return s.run(ctx, "agents", "resume", name) },
			action.MenuPosture}
	}
	retry := func(ctx context.Context) error { return s.run(ctx, "retry", name) }
	why := func(ctx context.Context) error { return s.run(ctx, "why", name) }
	_, err := s.choose(ctx, fmt.Sprintf("Agent %s", model.Text(a.ID)), []option{
		{"Its work items", func(ctx context.Context) error { return s.items(ctx, "") }, action.Open},
		{titleOf(action.Message), s.message, action.Message},
		{"When it runs next, and why it rests", why, ""}, {"Try again now: it rests no more", retry, action.Review},
		stop,
	})
	return err
}

// eventsSaid bounds the events of all agents that are shown at once.
const eventsSaid = 40

// askFilter asks for a filter. The question names the possible terms.
func (s *session) askFilter(ctx context.Context, terms string, parse func(string, time.Time) action.RowFilter) (action.RowFilter, error) {
	words, err := s.ask(ctx, "Only those with "+terms+":")
	f := parse(words, s.Now())
	if f.Trouble != "" {
		s.say("%s", f.Trouble)
	}
	return f, err
}

// activity shows the newest events of all agents, the newest last, so that a listener hears it last.
func (s *session) activity(ctx context.Context) error {
	f, err := s.askFilter(ctx, `(empty: all; words, "exact", agent:, kind:, age:)`, action.ParseEventFilter)
	if err != nil {
		return err
	}
	search := action.NewEventSearch(f, false)
	for !search.Done && len(search.Found) < eventsSaid && err == nil {
		err = s.View(ctx, func(r model.Reader) error { search.Step(r); return nil })
	}
	var said []string
	if err == nil {
		err = s.View(ctx, func(r model.Reader) error {
			said = nil
			for _, e := range search.Found[:min(len(search.Found), eventsSaid)] {
				said = append(said, fmt.Sprintf("%s: %s", model.Text(e.AgentID), eventWords(r, e)))
			}
			return nil
		})
	}
	if len(said) == 0 && err == nil {
		s.say("Nothing.")
	}
	for _, words := range slices.Backward(said) {
		s.say("%s", words)
	}
	return err
}

// finished returns the newest finished work that a filter keeps.
func (s *session) finished(ctx context.Context, f action.RowFilter) (rows []model.Row, err error) {
	if !f.Empty() {
		return s.found(ctx, f.OfFinished())
	}
	err = s.View(ctx, func(r model.Reader) error { rows = r.Finished(nil, rowsRead); return nil })
	return rows, err
}

// reports lists finished work of all agents, the newest first.
func (s *session) reports(ctx context.Context) error {
	f, err := s.askFilter(ctx, `(empty: all; words, "exact", agent:, has:, age:, text:)`, action.ParseFilter)
	if err != nil {
		return err
	}
	rows, err := s.finished(ctx, f)
	if err != nil {
		return err
	}
	var options []option
	for _, row := range rows {
		has := "without a report"
		if row.Reported {
			has = "with a report"
		}
		words := fmt.Sprintf("%s, %s, %s, %s, %s", model.Text(row.AgentID), row.Handle, row.Objective, has,
			text.Age(s.Now().Sub(row.UpdatedAt)))
		options = append(options, option{words, func(ctx context.Context) error { return s.openItem(ctx, row.AgentID, row.ID) },
			action.Open})
	}
	if len(options) == 0 {
		s.say("No finished work.")
		return nil
	}
	_, err = s.choose(ctx, "Finished work, the newest first", options)
	return err
}
