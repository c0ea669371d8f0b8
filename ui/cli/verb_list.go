package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/ui/config"
)

type listOptions struct {
	filter, cursor string
	limit          int
	todos          bool
}

func (a *app) listVerb() *cobra.Command {
	var o listOptions
	c := &cobra.Command{
		Use: "list [FILTER]", Short: "List an agent's work items in the scheduler's order",
		Long: "list shows an agent's own work items in the order in which they are offered. The filters are\n" +
			"all (the default), open, completed, current, queued, blocked, waiting_for_operator and runnable;\n" +
			"beside them, those that you saved under filters: in config.yaml, or with S in the console, and terms like\n" +
			"'class:queued age:>1d', as vise search takes them.",
		ValidArgs: as[string](model.Filters),
	}
	f := c.Flags()
	f.StringVar(&o.filter, "filter", "", "the filter, as the argument; also the name of one that you saved")
	f.IntVar(&o.limit, "limit", model.DefaultLimit, fmt.Sprintf("how many, 1 to %d", model.MaxLimit))
	f.StringVar(&o.cursor, "cursor", "", "go on where a list ended (its next_cursor)")
	f.BoolVar(&o.todos, "todos", false, "with the checklists")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		if len(args) > 0 {
			o.filter = args[0]
		}
		return a.list(ctx, o)
	})
}

func (a *app) list(ctx context.Context, o listOptions) (answer, error) {
	if o.limit < 1 || o.limit > model.MaxLimit {
		return answer{}, misuse("limit", "--limit %d is not 1 to %d", o.limit, model.MaxLimit).
			WithHint("a longer list comes in pages: --cursor")
	}
	words, saved, err := a.saved(o.filter)
	if err != nil {
		return answer{}, err
	}
	if saved {
		return a.listFound(ctx, o, words)
	}
	agents, err := readOne(ctx, a, a.listedAgents)
	if err != nil || len(agents) > 1 {
		return a.listByAgent(ctx, o, agents, err)
	}
	return readAnswer(ctx, a, (*page).list, func(r model.Reader) (home.ListResult, error) {
		agent, err := a.knownAgent(r)
		if err != nil {
			return home.ListResult{}, err
		}
		return home.ListResultOf(r, agent, model.Filter(o.filter), o.cursor, o.limit, o.todos)
	})
}

// byAgent is the data of list where several agents are there, and none was named.
type byAgent struct {
	Agents []home.ListResult `json:"agents"`
}

// listedAgents are the agents whose work items are listed: the one that verbs are about, else all.
func (a *app) listedAgents(r model.Reader) ([]model.AgentID, error) {
	id, err := a.knownAgent(r)
	if err == nil {
		return []model.AgentID{id}, nil
	}
	if a.agent != "" {
		return nil, err
	}
	var all []model.AgentID
	for x := range model.AllAgents(r) {
		all = append(all, x.ID)
	}
	if len(all) < 2 {
		return nil, err
	}
	return all, nil
}

// listByAgent lists the work items of each agent, as many as one page has.
func (a *app) listByAgent(ctx context.Context, o listOptions, agents []model.AgentID, err error) (answer, error) {
	if err == nil && o.cursor != "" {
		err = misuse("cursor", "a page goes on for one agent").WithHint("name it: --agent %s", agents[0])
	}
	if err != nil {
		return answer{}, err
	}
	return readAnswer(ctx, a, (*page).byAgent, func(r model.Reader) (out byAgent, err error) {
		for _, agent := range agents {
			l, err := home.ListResultOf(r, agent, model.Filter(o.filter), "", o.limit, o.todos)
			if err != nil {
				return out, err
			}
			out.Agents = append(out.Agents, l)
		}
		return out, nil
	})
}

func (p *page) byAgent(x byAgent) {
	for i, l := range x.Agents {
		if i > 0 {
			p.line("")
		}
		p.line("%s", p.strong("agent "+string(l.Context.AgentID)))
		p.list(l)
	}
}

func (p *page) list(l home.ListResult) {
	if l.Total == 0 {
		p.line("no work items (filter %s); vise new OBJECTIVE makes one", l.Filter)
		return
	}
	rows := make([][]cell, len(l.WorkItems))
	for i, v := range l.WorkItems {
		mark, name := className(v.Class)
		if v.IsCurrent {
			name = "current"
		}
		if v.Stalled {
			name += ", stalled"
		}
		rows[i] = []cell{
			{text: mark + " " + name, paint: func(s string) string { return p.class(v.Class, s) }},
			{text: string(v.Handle), paint: p.strong},
			{text: v.Objective.String()},
			{text: strings.TrimSpace(progress(v.TodoList) + " " + string(v.Priority))},
			{text: p.age(v.UpdatedAt), paint: p.muted},
		}
	}
	p.table(2, rows)
	if l.Cursor != "" {
		p.line("%s", p.muted(fmt.Sprintf("%d of %d; go on: vise list %s --agent %s --cursor %s", l.Returned, l.Total, l.Filter,
			l.Context.AgentID, l.Cursor)))
	}
}

func progress(list []model.Todo) string {
	if len(list) == 0 {
		return ""
	}
	done, _, total := model.WorkItem{TodoList: list}.TodoCounts()
	return fmt.Sprintf("%d/%d", done, total)
}

// saved is the operator's filter of that name, if it is none of the model's.
func (a *app) saved(name string) (words string, ok bool, err error) {
	if name == "" || slices.Contains(model.Filters, model.Filter(name)) {
		return "", false, nil
	}
	s, err := a.settings("filters", "vise config check")
	if err != nil {
		return "", false, err
	}
	if words, ok = s.Filters[name]; ok {
		return words, true, nil
	}
	if strings.ContainsAny(name, " :\"") { // no name of a filter: the filter itself
		return name, true, nil
	}
	return "", false, misuse("filter", "unknown filter %q", model.Text(name)).
		WithHint("the filters are %s%s", strings.Join(as[string](model.Filters), ", "), yours(config.Names(s.Filters)))
}

func yours(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; yours: " + model.Text(strings.Join(names, ", ")).String()
}

type eventsOptions struct {
	follow      bool
	after, item string
	limit       int
}

// event is one line of events --json.
type event struct {
	// Cursor is the value for --after that goes on behind this event.
	Cursor string `json:"cursor"`
	model.Entry
}

const (
	defaultEvents = 50
	maxEvents     = 1000
)

func (a *app) eventsVerb() *cobra.Command {
	var o eventsOptions
	c := &cobra.Command{
		Use: "events", Short: "Show what happened, oldest first; follow what happens",
		Long: "events shows the newest events, or with --after those behind a cursor. With --json each event is an\n" +
			"envelope on a line of its own, with its cursor.",
	}
	f := c.Flags()
	f.BoolVar(&o.follow, "follow", false, "go on with each new event until interrupted")
	f.StringVar(&o.after, "after", "", "begin behind this cursor; 0 is the beginning")
	f.StringVar(&o.item, "item", "", "only events of this work item")
	f.IntVar(&o.limit, "limit", defaultEvents, fmt.Sprintf("how many at most, 1 to %d", maxEvents))
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) { return answer{}, a.events(ctx, o) })
}

func (a *app) events(ctx context.Context, o eventsOptions) error {
	if o.limit < 1 || o.limit > maxEvents {
		return misuse("limit", "--limit %d is not 1 to %d", o.limit, maxEvents).WithHint("--after goes on where the last one ended")
	}
	after, err := position(o.after)
	if err != nil {
		return err
	}
	s := &stream{app: a, after: after, limit: o.limit}
	if o.item != "" {
		if s.item, err = a.resolve(ctx, o.item); err != nil {
			return err
		}
	}
	if err := s.first(ctx, o.after != ""); err != nil {
		return err
	}
	if o.follow {
		defer a.wakeful(ctx, nil)()
	}
	for o.follow {
		if err := s.more(ctx); err != nil {
			if ctx.Err() != nil {
				return nil // interrupted, which is how following ends
			}
			return err
		}
	}
	return nil
}

// stream shows events in order and knows how far it is.
type stream struct {
	*app
	item     model.ItemID
	after    model.Position
	limit    int
	revision uint64
}

// first shows the newest events, or those behind the cursor.
func (s *stream) first(ctx context.Context, fromCursor bool) error {
	var list []model.Entry
	err := s.read(ctx, func(r model.Reader) error {
		s.revision = r.Revision()
		switch {
		case fromCursor:
			list = r.History(s.agent, s.after, s.limit)
			return nil
		case s.item != "":
			list = r.Entries(s.item, s.limit)
		default:
			list = r.HistoryBefore(s.agent, model.Position{}, s.limit)
		}
		slices.Reverse(list)
		return nil
	})
	if err != nil {
		return err
	}
	if !fromCursor {
		s.after = model.Position{Revision: s.revision, N: lastN}
	}
	if err := s.show(list); err != nil || !fromCursor || len(list) < s.limit {
		return err
	}
	s.revision = 0 // the page was full, so there may be more at once
	return nil
}

// lastN is behind every event of a revision.
const lastN = 1 << 30

// more waits for news and shows it.
func (s *stream) more(ctx context.Context) error {
	d, err := s.open()
	if err != nil {
		return err
	}
	if s.revision, err = d.Follow(ctx, s.revision); err != nil {
		return err
	}
	for {
		var list []model.Entry
		if err := s.read(ctx, func(r model.Reader) error {
			list = r.History(s.agent, s.after, s.limit)
			return nil
		}); err != nil {
			return err
		}
		if err := s.show(list); err != nil || len(list) < s.limit {
			return err
		}
	}
}

// show writes events as they are: each on its line, at once.
func (s *stream) show(list []model.Entry) error {
	for _, e := range list {
		s.after = model.Position{Revision: e.Revision, N: e.N}
		if s.item != "" && e.WorkItemID != s.item {
			continue
		}
		if s.flags.json {
			line := envelope{schemaPrefix + "events", event{cursorOf(e), e}, append(s.withReadOnly([]model.Warning{}), s.home.Damage()...)}
			if err := writeJSON(s.out, line); err != nil {
				return err
			}
			continue
		}
		p := s.page()
		p.event(e)
		if err := p.flush(s.out); err != nil {
			return err
		}
	}
	return nil
}

func cursorOf(e model.Entry) string { return fmt.Sprintf("%d.%d", e.Revision, e.N) }

// position reads a cursor: a revision, or a revision and a place in it.
func position(s string) (model.Position, error) {
	if s == "" {
		return model.Position{}, nil
	}
	rev, n, placed := strings.Cut(s, ".")
	revision, err := strconv.ParseUint(rev, 10, 64)
	at := model.Position{Revision: revision, N: lastN}
	if err == nil && placed {
		at.N, err = strconv.Atoi(n)
	}
	if err != nil {
		return at, misuse("after", "%q is no cursor", model.Text(s)).WithHint("events --json gives one with each event; 0 is the beginning")
	}
	return at, nil
}

func (p *page) event(e model.Entry) {
	p.line("%s  %-10s  %-14s  %s  %s", p.muted(when(e.At)), cursorOf(e), model.Text(e.Actor), strings.ReplaceAll(string(e.Kind), "_", " "),
		about(e))
}

// about names what an event is about, with its data in brief.
func about(e model.Entry) string {
	words := []string{}
	if e.WorkItemID != "" {
		words = append(words, string(e.WorkItemID))
	}
	if len(e.Data) > 0 && string(e.Data) != "{}" {
		words = append(words, model.Text(e.Data).String())
	}
	return strings.Join(words, "  ")
}
