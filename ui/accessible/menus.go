package accessible

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/text"
)

// rowsRead bounds the rows of a class in a list.
const rowsRead = 30

// view holds the data of a menu, read at one revision.
type view struct {
	desk  model.Desk
	inbox []model.Inboxed
	fleet model.Fleet
}

func (s *dialogue) read(ctx context.Context) (view, error) {
	var v view
	err := s.View(ctx, func(r model.Reader) error {
		v.desk = model.DeskOf(r, s.agent, model.Stamp{At: s.Now()}, func(model.Class) int { return rowsRead })
		v.inbox = model.Inbox(r, s.Now(), rowsRead)
		v.fleet = model.FleetOf(r, s.Now(), rowsRead, 0)
		return nil
	})
	return v, err
}

// firstMenu shows the first menu again after each action.
func (s *dialogue) firstMenu(ctx context.Context) error {
	for {
		var v view
		err := s.retryBusy(ctx, func() (err error) { v, err = s.read(ctx); return err })
		if err != nil {
			return err
		}
		done, err := s.choose(ctx, s.summary(v)+s.damage(), s.firstOptions(v))
		if e := model.AsError(err); e != nil {
			s.unread(err) // the chosen action has already reported its own result; the menus continue
			continue
		}
		if err != nil {
			return err
		}
		if done {
			s.say("This is the first menu; q quits.")
		}
	}
}

// needs counts the inbox, as the header of the screen's console does.
func (v view) needs() string {
	switch n := len(v.inbox); {
	case n == 0:
		return "nothing"
	case n == rowsRead:
		return fmt.Sprintf("%d or more", n)
	}
	return action.CountNeeds(v.inbox, ", ")
}

// summary says in one line how the agent is doing.
func (s *dialogue) summary(v view) string {
	words := []string{fmt.Sprintf("Agent %s.", model.Text(s.agent))}
	if v.desk.Current != nil {
		words = append(words, fmt.Sprintf("Works on %s, %s.", v.desk.Current.Handle, v.desk.Current.Objective))
	}
	for _, x := range v.desk.Sections {
		if x.Total > 0 {
			words = append(words, fmt.Sprintf("%d %s.", x.Total, model.Spaced(x.Class)))
		}
	}
	return strings.Join(words, " ")
}

// damage says which part of the ledger is damaged, if any.
func (s *dialogue) damage() (words string) {
	if l, ok := s.Ledger.(interface{ Damage() []model.Warning }); ok {
		for _, x := range l.Damage() {
			words += " Damaged: " + model.Text(x.Message).String() + "."
		}
	}
	return words
}

// firstOptions are the options of the first menu.
func (s *dialogue) firstOptions(v view) []option {
	out := []option{
		{"What needs you, of all agents: " + v.needs(), s.needs, action.NeedsYou},
		{titleOf(action.ViewDesk) + ": work items of the agent",
			func(ctx context.Context) error { return s.items(ctx, "") }, action.ViewDesk},
		{fmt.Sprintf("%s: agents by attention, %d", titleOf(action.ViewFleet), len(v.fleet.Agents)), s.agents, action.ViewFleet},
		plain("Activity: everything that happens, of all agents", s.activity), acting(action.ViewReports, s.reports),
		acting(action.Brief, s.form(action.Brief)), plain("Why this order", s.running("why")),
		{"Find work items by words", func(ctx context.Context) error {
			words, err := s.ask(ctx, `Words (also "exact", -without, class:queued, has:report, age:>1d, agent:name):`)
			if err != nil {
				return err
			}
			return s.items(ctx, words)
		}, action.Filter},
	}
	for _, name := range config.Names(s.Settings.Filters) {
		words := s.Settings.Filters[name]
		out = append(out, option{"Filter " + model.Text(name).String(), func(ctx context.Context) error { return s.items(ctx, words) },
			action.CustomCommands})
	}
	out = append(out, s.customOptions(nil)...)
	does := s.always()
	does[action.TriageOpen], does[action.Threads] = s.board(action.TriageOpen, onTodos()), s.board(action.Threads, onThreads)
	out = append(out, s.enabled(s.state(v), does)...)
	return append(out, option{"Help: everything that can be done, and where", s.help, action.Help})
}

// What undo and redo mean is the ledger's to say: the last act of the operator, in any console.
const lastAct, lastUndo = "your last act", "what was undone last"

// state is the input of the actions' conditions when no item is shown.
func (s *dialogue) state(v view) action.State {
	return action.State{Agent: s.agent, Desk: v.desk, Agents: len(v.fleet.Agents), NeedYou: len(v.inbox), Editor: s.Plans != nil,
		Undo: lastAct, Redo: lastUndo, FileTodos: s.Findings != nil}
}

// enabled returns the given actions that make sense now, in the table's order. The others share one line that gives the reasons.
func (s *dialogue) enabled(state action.State, does map[action.ID]func(context.Context) error) []option {
	var out []option
	var off []string
	keys := action.Standard()
	for _, a := range keys {
		do, ok := does[a.ID]
		if !ok {
			continue
		}
		if why := keys.Refusal(a, state); why != "" {
			off = append(off, title(a)+": "+why)
			continue
		}
		out = append(out, acting(a.ID, do))
	}
	if len(off) > 0 {
		out = append(out, plain(fmt.Sprintf("What cannot be done now, and why: %d", len(off)), func(context.Context) error {
			s.say("%s.", strings.Join(off, ".\n"))
			return nil
		}))
	}
	return out
}

// needs lists the inbox.
func (s *dialogue) needs(ctx context.Context) error {
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
		age := text.Age(s.Now().Sub(x.Since))
		words := fmt.Sprintf("%s, %s, since %s: %s", action.NeedWord(x), model.Text(x.AgentID), age, action.NeedSays(x))
		if x.Handle != "" {
			words += ", " + string(x.Handle)
		}
		options = append(options, s.opening(words, x.Row))
	}
	_, err = s.choose(ctx, "What needs you", options)
	return err
}

// opening is the option that opens an item's menu, also of another agent.
func (s *dialogue) opening(words string, r model.Row) option {
	return option{words, func(ctx context.Context) error {
		if r.AgentID != s.agent {
			s.agent = r.AgentID
			s.say("Agent %s.", model.Text(r.AgentID))
		}
		return s.item(ctx, r.ID)
	}, action.Open}
}

// items lists the agent's work items in the console's order.
func (s *dialogue) items(ctx context.Context, words string) error {
	for {
		rows, err := s.rows(ctx, words)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			s.say("No work item.")
			return nil
		}
		var options []option
		for _, r := range rows {
			options = append(options, s.opening(rowWords(r, s.Now()), r))
		}
		if !slices.ContainsFunc(rows, func(r model.Row) bool { return r.AgentID != s.agent }) {
			options = append(options, option{"Mark some of them, and do something to all",
				func(ctx context.Context) error { return s.mark(ctx, rows) }, action.Mark})
		}
		if words != "" && s.SaveFilter != nil {
			options = append(options, acting(action.SaveFilter, func(ctx context.Context) error { return s.saveFilter(ctx, words) }))
		}
		title := fmt.Sprintf("%s of %s", model.Counted(len(rows), "work item"), model.Text(s.agent))
		if words != "" {
			title = model.Counted(len(rows), "work item") + " of all agents"
		}
		if back, err := s.choose(ctx, title, options); back || err != nil {
			return err
		}
	}
}

// rows returns the agent's work items, or with words the items of all agents that a search finds.
func (s *dialogue) rows(ctx context.Context, words string) (rows []model.Row, err error) {
	if words != "" {
		f := action.ParseFilter(words, s.Now())
		if f.Trouble != "" {
			s.say("%s", f.Trouble)
		}
		return s.found(ctx, f)
	}
	v, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	if v.desk.Current != nil {
		rows = append(rows, *v.desk.Current)
	}
	for _, x := range v.desk.Sections {
		rows = append(rows, x.Rows...)
	}
	return rows, nil
}

// found returns the first hits of a search through the whole ledger.
func (s *dialogue) found(ctx context.Context, f action.RowFilter) ([]model.Row, error) {
	search := action.NewSearch(f, "")
	for !search.Done {
		if err := s.View(ctx, func(r model.Reader) error { search.Step(r); return nil }); err != nil {
			return nil, err
		}
	}
	rows := search.InOrder()
	if n := len(rows); n > rowsRead {
		s.say("The first %d of %d; more words narrow it.", rowsRead, n)
	}
	return rows[:min(len(rows), rowsRead)], nil
}

// rowWords returns an item in one line, without colours and in words only.
func rowWords(r model.Row, now time.Time) string {
	words := []string{model.Spaced(r.Class), string(r.Handle), r.Objective.String()}
	if r.IsCurrent && r.Class != model.CurrentRunnable {
		words[0] += ", picked"
	}
	switch {
	case r.IsPermission():
		words = append(words, "asks in "+r.Wait.Source.String()+" for permission")
	case r.AgentFails():
		words[0] = "failing"
	case r.Stalled:
		words = append(words, "stalled")
	}
	if r.Class == model.CompletedRecent && !r.Reported {
		words = append(words, "without a report")
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
	if r.Wait.Checked != "" {
		words = append(words, r.Wait.Checked.String())
	}
	return strings.Join(append(words, text.Age(now.Sub(r.UpdatedAt))), ", ")
}

// customOptions are the operator's own commands: those about an item if one is shown, else those about an agent.
func (s *dialogue) customOptions(l *itemView) []option {
	var out []option
	for _, x := range s.Settings.Commands {
		if s.RunCustom != nil && x.OfItem() == (l != nil) {
			out = append(out, option{"Your own: " + model.Text(x.Name).
				String(), func(ctx context.Context) error { return s.runCustom(ctx, x, l) }, action.CustomCommands})
		}
	}
	return out
}

// runCustom runs a command, after a confirmation if it is dangerous, and writes its output.
func (s *dialogue) runCustom(ctx context.Context, x config.Command, l *itemView) error {
	var item model.View
	if l != nil {
		item = l.detail.View
	}
	argv, stdin, err := x.Filled(s.agent, item)
	if err != nil {
		return err
	}
	if x.Dangerous {
		if ok, err := s.yes(ctx, fmt.Sprintf("This command is marked as dangerous: %s. Run it?",
			model.Text(strings.Join(argv, " ")))); err != nil || !ok {
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

// saveFilter saves a filter under a name.
func (s *dialogue) saveFilter(ctx context.Context, words string) error {
	name, err := s.ask(ctx, "Its name:")
	if err != nil || name == "" {
		return err
	}
	if err := s.SaveFilter(ctx, name, words); err != nil {
		s.failed("Not done", err)
		return nil
	}
	if s.Settings.Filters == nil {
		s.Settings.Filters = map[string]string{}
	}
	s.Settings.Filters[name] = words
	s.say("Filter %s is saved: it stands in the first menu, and in vise list --filter.", model.Text(name))
	return nil
}
