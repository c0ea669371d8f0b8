package accessible

import (
	"context"
	"fmt"
	"slices"

	"vise/model"
	"vise/ui/action"
)

// agents lists all agents, the most urgent first, and offers the menu of one.
func (s *dialogue) agents(ctx context.Context) error {
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
	words := fmt.Sprintf("%s, %s", model.Text(m.Agent.ID), model.Spaced(m.State))
	if d := m.Why.Decision; d.HeldBy != "" {
		words += fmt.Sprintf(", rests until %s: %s", d.Until.Format("15:04"), d.HeldBy)
	}
	if m.Current != nil {
		words += fmt.Sprintf(", works on %s, %s", m.Current.Handle, m.Current.Objective)
	}
	return words
}

// member shows the menu of one agent and makes it the session's agent.
func (s *dialogue) member(ctx context.Context, a model.Agent) error {
	s.agent = a.ID
	name := string(a.ID)
	posture := option{"Stop it: no turn begins, a running one ends", s.running("agents", "stop", name), action.Posture}
	if a.Posture == model.Stopped {
		posture = option{"Resume it: it may run again", s.running("agents", "resume", name), action.Posture}
	}
	_, err := s.choose(ctx, fmt.Sprintf("Agent %s", model.Text(a.ID)), []option{
		{"Its work items", func(ctx context.Context) error { return s.items(ctx, "") }, action.Open},
		{titleOf(action.Message), s.form(action.Message, name), action.Message},
		plain("When it runs next, and why it rests", s.running("why", name)),
		{"Try again now: it rests no more", s.running("retry", name), action.Review}, posture,
	})
	return err
}

// eventsSaid bounds the events of all agents that are shown at once.
const eventsSaid = 40

// activity shows the newest events of all agents, the newest last, so that a listener hears it last.
func (s *dialogue) activity(ctx context.Context) error {
	words, err := s.ask(ctx, `Only those with (empty: all; words, "exact", agent:, kind:, age:):`)
	f := action.ParseEventFilter(words, s.Now())
	search, said := action.NewEventSearch(f, false), []string{}
	for err == nil && !search.Done && len(search.Found) < eventsSaid {
		err = s.View(ctx, func(r model.Reader) error {
			said = said[:0]
			search.Step(r)
			for _, e := range search.Found[:min(len(search.Found), eventsSaid)] {
				said = append(said, fmt.Sprintf("%s: %s", model.Text(e.AgentID), eventWords(r, e)))
			}
			return nil
		})
	}
	if f.Trouble != "" {
		s.say("%s", f.Trouble)
	}
	if len(said) == 0 && err == nil {
		s.say("Nothing.")
	}
	for _, words := range slices.Backward(said) {
		s.say("%s", words)
	}
	return err
}

// reports lists finished work of all agents, the newest first.
func (s *dialogue) reports(ctx context.Context) error {
	words, err := s.ask(ctx, `Only those with (empty: all; words, "exact", agent:, has:, age:, text:):`)
	if err != nil {
		return err
	}
	return s.items(ctx, "class:done "+words)
}
