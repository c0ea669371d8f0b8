package accessible

import (
	"context"
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/config"
)

// customOptions are the operator's own commands: those about an item where one is looked at,
// else those about an agent.
func (s *session) customOptions(l *itemView) []option {
	var out []option
	for _, x := range s.Settings.Commands {
		if s.RunCustom != nil && x.OfItem() == (l != nil) {
			out = append(out, option{"Your own: " + model.Text(x.Name).String(), func(ctx context.Context) error { return s.runCustom(ctx, x, l) }, action.OwnCommands})
		}
	}
	return out
}

// runCustom runs a command, after a question if it is dangerous, and says what it wrote.
func (s *session) runCustom(ctx context.Context, x config.Command, l *itemView) error {
	var item model.View
	if l != nil {
		item = l.detail.View
	}
	argv, stdin, err := x.Filled(s.agent, item)
	if err != nil {
		return err
	}
	if x.Dangerous {
		if ok, err := s.yes(ctx, fmt.Sprintf("This command is marked as dangerous: %s. Run it?", model.Text(strings.Join(argv, " ")))); err != nil || !ok {
			return err
		}
	}
	out, err := s.RunCustom(ctx, argv, stdin)
	lines := model.Text(strings.TrimRight(out, "\n")).Lines()
	for _, line := range lines {
		s.say("%s", line)
	}
	switch {
	case err != nil:
		s.say("%s: %s.", model.Text(x.Name), model.Text(err.Error()))
	case len(lines) == 0:
		s.say("%s is done and wrote nothing.", model.Text(x.Name))
	}
	return nil
}

// saveFilter keeps a filter under a name.
func (s *session) saveFilter(ctx context.Context, words string) error {
	name, err := s.ask(ctx, "Its name:")
	if err != nil || name == "" {
		return err
	}
	if err := s.SaveFilter(ctx, name, words); err != nil {
		s.refused(err)
		return nil
	}
	if s.Settings.Filters == nil {
		s.Settings.Filters = map[string]string{}
	}
	s.Settings.Filters[name] = words
	s.say("Filter %s is saved: it stands in the first menu, and in vise list --filter.", model.Text(name))
	return nil
}
