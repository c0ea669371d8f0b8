package accessible

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/text"
)

// rowsRead bounds the rows of a class in a list.
const rowsRead = 30

// read reads the agent's desk and the inbox.
func (s *dialogue) read(ctx context.Context) (desk model.Desk, inbox []model.Inboxed, err error) {
	err = s.View(ctx, func(r model.Reader) error {
		desk = model.DeskOf(r, s.agent, model.Stamp{At: s.Now()}, func(model.Class) int { return rowsRead })
		inbox = model.Inbox(r, s.Now(), rowsRead)
		return nil
	})
	return desk, inbox, err
}

// firstMenu shows the first menu again after each action.
func (s *dialogue) firstMenu(ctx context.Context) error {
	for {
		var desk model.Desk
		var inbox []model.Inboxed
		err := s.retryBusy(ctx, func() (err error) { desk, inbox, err = s.read(ctx); return err })
		if err != nil {
			return err
		}
		done, err := s.choose(ctx, s.summary(desk), s.firstOptions(desk, inbox))
		switch {
		case model.AsError(err) != nil:
			s.unread(err) // the chosen action has already reported its own result; the menus continue
		case err != nil:
			return err
		case done:
			s.say("This is the first menu; q quits.")
		}
	}
}

// summary says in one line how the agent is doing, and which part of the ledger is damaged.
func (s *dialogue) summary(desk model.Desk) string {
	words := fmt.Sprintf("Agent %s.", model.Text(s.agent))
	if w := desk.Current; w != nil {
		words += fmt.Sprintf(" Works on %s, %s.", w.Handle, w.Objective)
	}
	for _, x := range desk.Sections {
		if x.Total > 0 {
			words += fmt.Sprintf(" %d %s.", x.Total, model.Spaced(x.Class))
		}
	}
	for _, x := range s.Damage() {
		words += fmt.Sprintf(" Damaged: %s.", model.Text(x.Message))
	}
	return words
}

// firstOptions are the options of the first menu.
func (s *dialogue) firstOptions(desk model.Desk, inbox []model.Inboxed) []option {
	needs := cmp.Or(action.CountNeeds(inbox, ", "), "nothing")
	if len(inbox) == rowsRead {
		needs += " or more"
	}
	search := func(words string) func(context.Context) error {
		return func(ctx context.Context) error { return s.items(ctx, words) }
	}
	out := []option{
		{"What needs you, of all agents: " + needs, s.needs}, {"Desk: work items of the agent", search("")},
		{"Fleet: all agents", s.agents}, {"Activity: what happened lately, of all agents", s.running("events", "--agent=")},
		{"Reports: finished work of all agents", search("class:done")}, {"Why this order", s.running("why")},
		{"Find work items by words", func(ctx context.Context) error {
			words, err := s.ask(ctx, `Words (also "exact", -without, class:queued, has:report, age:>1d, agent:name):`)
			if err != nil || words == "" {
				return err
			}
			return s.items(ctx, words)
		}},
	}
	for _, name := range config.Names(s.Settings.Filters) {
		out = append(out, option{"Filter " + model.Text(name).String(), search(s.Settings.Filters[name])})
	}
	state := action.State{Agent: s.agent, Desk: desk, NeedYou: len(inbox)}
	return append(slices.Concat(out, s.customOptions(model.View{}), s.acts(state, nil)),
		option{"Help: all commands of vise, which this console runs", s.running("help")})
}

// acts are the acts of the table that make sense now, on a work item or without one. The others share one line that gives the reasons.
func (s *dialogue) acts(state action.State, l *model.Detail) (out []option) {
	// What undo and redo mean is the ledger's to say: the last act of the operator, in any console.
	state.Undo, state.Redo, state.Editor, state.FileTodos = "your last act", "what was undone last", true, true
	var off []string
	keys := action.Standard()
	for _, a := range keys {
		why := keys.Refusal(a, state)
		title := strings.TrimSuffix(a.Title, "…")
		does, _, _ := strings.Cut(a.Does, "; in ") // the rest is about the screen's console
		does, _, _ = strings.Cut(does, "; also marked")
		switch {
		case a.Verb == "", a.In == action.Text, a.ID == action.Agents, a.ID == action.Tick, // other lines do the same
			l == nil && why == action.NoItem, l != nil && (!a.Writes || a.ID == action.New):
		case why != "":
			off = append(off, title+": "+why)
		default:
			out = append(out, option{title + ": " + does, func(ctx context.Context) error { return s.act(ctx, a, state, l) }})
		}
	}
	if len(off) > 0 {
		out = append(out, option{fmt.Sprintf("What cannot be done now, and why: %d", len(off)), func(context.Context) error {
			s.say("%s.", strings.Join(off, ".\n"))
			return nil
		}})
	}
	return out
}

// act carries out an act of the table by its verb.
func (s *dialogue) act(ctx context.Context, a action.Action, state action.State, l *model.Detail) error {
	verb, row := a.Verb, state.Item
	group, _, _ := strings.Cut(verb, " ")
	switch {
	case !a.Writes && s.Form(group).Verbs != nil:
		return s.board(ctx, row, strings.Fields(verb)...)
	case !a.Writes:
		return s.running(append(strings.Fields(verb), "--agent=")...)(ctx)
	case a.ID == action.TodoList:
		return s.todos(ctx, *l)
	case a.ID == action.Answer:
		return s.answer(ctx, *l)
	case a.ID == action.Review && state.Review():
		return s.running("show", string(row.ID))(ctx)
	case a.ID == action.Review:
		r := state.Retry()
		return s.running(verb, cmp.Or(string(r.WorkItemID), string(r.AgentID)))(ctx)
	case a.ID == action.Block && row.BlockedBy != "":
		verb = "unblock"
	case a.ID == action.Undo || a.ID == action.Redo:
		args := strings.Fields(verb)
		if row != nil {
			args = append(args, string(row.ID))
		}
		return s.running(args...)(ctx)
	}
	return s.asking(verb, row)(ctx)
}

// board runs a verb that lists something, and offers the other verbs of its group, until the operator goes back.
func (s *dialogue) board(ctx context.Context, about *model.Row, list ...string) error {
	for {
		if err := s.running(list...)(ctx); err != nil {
			return err
		}
		if back, err := s.choose(ctx, "What to do", s.group(list[0], about)); back || err != nil {
			return err
		}
	}
}

// group are the verbs of a group.
func (s *dialogue) group(name string, about *model.Row) (out []option) {
	for _, verb := range s.Form(name).Verbs {
		verb = name + " " + verb
		out = append(out, option{verb + ": " + s.Form(verb).Does, s.asking(verb, about)})
	}
	return out
}

// agents lists all agents, and offers to go on with another one.
func (s *dialogue) agents(ctx context.Context) error {
	var options []option
	err := s.View(ctx, func(r model.Reader) error {
		for _, a := range r.Agents("", rowsRead) {
			options = append(options, option{"Go on with " + model.Text(a.ID).String(), func(context.Context) error {
				s.agent = a.ID
				return nil
			}})
		}
		return nil
	})
	if err == nil {
		err = s.running("agents")(ctx)
	}
	if err == nil {
		_, err = s.choose(ctx, "Agents", append(options, s.group("agents", nil)...))
	}
	return err
}

// needs lists the inbox.
func (s *dialogue) needs(ctx context.Context) error {
	_, inbox, err := s.read(ctx)
	if len(inbox) == 0 && err == nil {
		s.say("Nothing needs you.")
	}
	if len(inbox) == 0 {
		return err
	}
	var options []option
	for _, x := range inbox {
		age := text.Age(s.Now().Sub(x.Since))
		options = append(options, s.opening(fmt.Sprintf("%s, %s, since %s: %s", action.NeedWord(x), model.Text(x.AgentID), age,
			action.NeedSays(x)), x.Row))
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
	}}
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
	desk, _, err := s.read(ctx)
	if desk.Current != nil {
		rows = append(rows, *desk.Current)
	}
	for _, x := range desk.Sections {
		rows = append(rows, x.Rows...)
	}
	return rows, err
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

// rowWords returns an item in one line, in words only.
func rowWords(r model.Row, now time.Time) string {
	words := []string{action.StateWords(action.ShownClass(r), r.IsCurrent, r.Stalled), string(r.Handle), r.Objective.String()}
	if r.AgentFails() {
		words[0] = "failing"
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

// item shows the menu of one item: its pages and its acts.
func (s *dialogue) item(ctx context.Context, id model.ItemID) error {
	for {
		var l model.Detail
		var state action.State
		err := s.View(ctx, func(r model.Reader) (err error) {
			l, err = model.DetailOf(r, id, model.Stamp{At: s.Now()})
			state = action.State{Item: &l.Row, Need: l.Need, Agent: s.agent,
				Desk: model.DeskOf(r, s.agent, model.Stamp{At: s.Now()}, func(model.Class) int { return 1 })}
			return err
		})
		if err != nil {
			return err
		}
		name := string(id)
		pages := []option{{"When it runs next, and why it rests", s.running("why", string(l.Row.AgentID))}}
		if !l.Row.OfAgent() {
			pages = []option{
				{"Read all of it", s.running("show", name)}, {"Why it stands where it stands", s.running("why", name)},
				{"The plan: read it, and its saves", func(ctx context.Context) error { return s.board(ctx, &l.Row, "plan", "show", name) }},
				{"What happened to it", s.running("events", "--item", name)}, {"Read the report", s.running("report", name)},
			}
		}
		back, err := s.choose(ctx, rowWords(l.Row, s.Now()), slices.Concat(pages, s.acts(state, &l), s.customOptions(l.View)))
		if back || err != nil {
			return err
		}
	}
}

// answer asks for the answer to a question, or to a permission prompt.
func (s *dialogue) answer(ctx context.Context, l model.Detail) error {
	if l.Row.IsPermission() {
		return s.asking("permit", &l.Row)(ctx)
	}
	q, _ := l.Question()
	s.say("Question: %s", cmp.Or(q.Ask.Question, q.Reason, "Its plan needs input; the plan says what is missing."))
	f := s.Form("answer")
	for i := range f.Fields {
		if f.Fields[i].Text {
			f.Fields[i].Values = func() (out []string) {
				for _, c := range q.Ask.Choices {
					out = append(out, c.Raw()) // raw: shown as a text, and returned to the program that offered it
				}
				return out
			}
		}
	}
	return s.fill(ctx, "answer", f, &l.Row)
}

// todoMarks are the states of a todo in the checklist's Markdown.
var todoMarks = map[model.TodoState]string{model.TodoPending: " ", model.TodoInProgress: "~", model.TodoCompleted: "x"}

// todos edits the checklist one change at a time. Each change saves the whole list.
func (s *dialogue) todos(ctx context.Context, l model.Detail) error {
	list := slices.Clone(l.TodoList)
	for i, t := range list {
		s.say("%d. %s, %s", i+1, t.Text, model.Spaced(t.State))
	}
	in, err := s.ask(ctx, "A new todo; or a number with pending, in progress, completed, up, down, drop or new words:")
	if err != nil || in == "" {
		return err
	}
	number, change, _ := strings.Cut(in, " ")
	state := model.TodoState(strings.ReplaceAll(change, " ", "_"))
	switch i, err := strconv.Atoi(number); {
	case err != nil || i < 1 || i > len(list) || change == "":
		list = append(list, model.Todo{Text: model.Text(in), State: model.TodoPending})
	case change == "drop":
		list = slices.Delete(list, i-1, i)
	case change == "up":
		list[i-1], list[max(i-2, 0)] = list[max(i-2, 0)], list[i-1]
	case change == "down":
		below := min(i, len(list)-1)
		list[i-1], list[below] = list[below], list[i-1]
	case todoMarks[state] != "":
		list[i-1].State = state
	default:
		list[i-1].Text = model.Text(change)
	}
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "- [%s] %s\n", todoMarks[t.State], t.Text.Raw()) // raw: returns to the ledger
	}
	_, err = s.run(ctx, b.String(), "update", "--todos=-", fmt.Sprintf("--if-revision=%d", l.Row.Revision), "--", string(l.Row.ID))
	return err
}

// customOptions are the operator's own commands: those about an item if one is shown, else those about an agent.
func (s *dialogue) customOptions(item model.View) []option {
	var out []option
	for _, x := range s.Settings.Commands {
		if x.OfItem() == (item.ID != "") {
			out = append(out, option{"Your own: " + model.Text(x.Name).String(), func(ctx context.Context) error {
				return s.runCustom(ctx, x, item)
			}})
		}
	}
	return out
}

// runCustom runs a command, after a confirmation if it is dangerous, and writes its output.
func (s *dialogue) runCustom(ctx context.Context, x config.Command, item model.View) error {
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
	if out != "" {
		s.say("%s", model.Text(strings.TrimRight(out, "\n")).Multiline())
	}
	ends := "is done"
	if err != nil {
		ends = model.Text(err.Error()).String()
	}
	s.say("%s: %s.", model.Text(x.Name), ends)
	return nil
}
