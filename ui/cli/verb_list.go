package cli

import (
	"fmt"
	"slices"
	"strings"

	"vise/model"
	"vise/store/home"
	"vise/ui/action"
	"vise/ui/config"
	"vise/ui/console"
)

type listOptions struct {
	filter, cursor string
	limit          int
	todos          bool
}

func listVerb() verb {
	o := listOptions{limit: model.DefaultLimit}
	return verb{
		use: "list [FILTER]", short: "List an agent's work items in the scheduler's order",
		long: `list shows an agent's own work items in the order in which they are offered. The filters are
all (the default), open, completed, current, queued, blocked, waiting_for_operator and runnable;
beside them, those that you saved under filters: in config.yaml, or with S in the console, and terms like
'class:queued age:>1d', as vise search takes them.`,
		example: `vise list queued
vise list --filter 'age:>1d'`,
		flags: flags{
			{"filter", &o.filter, "the filter, as the argument; also the name of one that you saved"},
			{"limit", upTo{&o.limit, model.MaxLimit}, "how many; a longer list comes in pages: --cursor"},
			{"cursor", &o.cursor, "continue after the end of a list (its next_cursor)"},
			{"todos", &o.todos, "with the checklists"},
		},
		run: func(e *Env) (answer, error) {
			if len(e.words) > 0 {
				o.filter = e.words[0]
			}
			return list(e, o)
		},
	}
}

func list(e *Env, o listOptions) (answer, error) {
	words, saved, err := saved(e, o.filter)
	if err != nil {
		return nil, err
	}
	if saved {
		return listFound(e, o, words)
	}
	if _, err := open(e); err != nil {
		return nil, err
	}
	sessions := e.sessions() // before the ledger is read: tmux is asked about them, and meanwhile nobody should wait for the ledger
	out, err := readOne(e, func(r model.Reader) (out byAgent, err error) {
		agents, err := listedAgents(e, r)
		if err == nil && len(agents) > 1 && o.cursor != "" {
			err = misuse("cursor", "--cursor goes on with the list of one agent").WithHint("name the agent: --agent %s", agents[0])
		}
		for i := 0; i < len(agents) && err == nil; i++ {
			var l home.ListResult
			l, err = home.ListResultOf(r, agents[i], model.Filter(o.filter), o.cursor, o.limit, o.todos)
			if s, _ := home.Live(sessions, agents[i]); s.Says(e.now(), model.Decide(r, agents[i], e.now())) != "" {
				l.Session = &s // it tells what the agent does
			}
			out.Agents = append(out.Agents, l)
		}
		return out, err
	})
	if err == nil && len(out.Agents) == 1 {
		return answerOf(out.Agents[0], (*page).list), nil
	}
	return answerOf(out, (*page).byAgent), err
}

// byAgent is the data of list if there are several agents and none was named.
type byAgent struct {
	Agents []home.ListResult `json:"agents"`
}

// listedAgents returns the agents whose work items are listed: the agent of agentOf, else all.
func listedAgents(e *Env, r model.Reader) ([]model.AgentID, error) {
	id, err := knownAgent(e, r)
	if err == nil {
		return []model.AgentID{id}, nil
	}
	if all, _ := agentsOf(e, r); len(all) > 1 { // a named agent is only one
		return all, nil
	}
	return nil, err
}

func (p *page) byAgent(x byAgent) {
	for i, l := range x.Agents {
		if i > 0 {
			p.line("")
		}
		p.lines(p.strong("agent " + string(l.Context.AgentID)))
		p.list(l)
	}
}

// state is the cell that says the state of an item in lists.
func (p *page) state(c model.Class, current, stalled bool) cell {
	mark, _ := className(c)
	return cell{text: mark + " " + action.StateWords(c, current, stalled), paint: func(s string) string { return p.class(c, s) }}
}

func (p *page) list(l home.ListResult) {
	if l.Session != nil {
		p.quiet("%s %s", l.Context.AgentID, model.Text(l.Session.Says(p.now, model.Decision{ModelReentry: true})))
	}
	if l.Total == 0 {
		if l.Filter == model.FilterAll {
			p.line("no work items; vise new OBJECTIVE makes one")
			return
		}
		p.line("no work items (filter %s); vise list shows all", l.Filter)
		return
	}
	rows := make([][]cell, len(l.WorkItems))
	for i, v := range l.WorkItems {
		rows[i] = []cell{
			p.state(v.Class, v.IsCurrent, v.Stalled),
			{text: string(v.Handle), paint: p.strong},
			{text: v.Objective.String()},
			{text: strings.TrimSpace(progress(v.TodoList) + " " + string(v.Priority))},
			{text: p.age(v.UpdatedAt), paint: p.muted},
		}
	}
	p.table(2, rows)
	if l.Cursor != "" {
		p.quiet("%d of %d; go on: vise list %s --agent %s --cursor %s", l.Returned, l.Total, l.Filter, l.Context.AgentID, l.Cursor)
	}
}

func progress(list []model.Todo) string {
	if len(list) == 0 {
		return ""
	}
	done, _, total := model.WorkItem{TodoList: list}.TodoCounts()
	return fmt.Sprintf("%d/%d", done, total)
}

// saved returns the operator's filter of that name, if the model has no filter of that name.
func saved(e *Env, name string) (words string, ok bool, err error) {
	if name == "" || slices.Contains(model.Filters, model.Filter(name)) {
		return "", false, nil
	}
	s, err := settings(e, "filters", "vise admin config check")
	if err != nil {
		return "", false, err
	}
	if words, ok = s.Filters[name]; ok {
		return words, true, nil
	}
	if strings.ContainsAny(name, " :\"") { // not a filter's name, so it is the filter itself
		return name, true, nil
	}
	return "", false, misuse("filter", "unknown filter %q", name).
		WithHint("the filters are %s%s", strings.Join(as[string](model.Filters), ", "), yours(config.Names(s.Filters)))
}

func yours(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; yours: " + safe(strings.Join(names, ", "))
}

// searchedFor is the data of search.
type searchedFor struct {
	Words string `json:"words"`
	// Returned is len(WorkItems). Total is the number of matches.
	Returned  int         `json:"returned"`
	Total     int         `json:"total_matching"`
	WorkItems []model.Row `json:"work_items"`
	// Todos are the file todos of the repository around the working directory. They belong to no agent.
	Todos []todoHit `json:"file_todos,omitempty"`
	// Said are places in the logs and transcripts of sessions.
	Said []console.Said `json:"sessions,omitempty"`
}

func searchVerb() verb {
	limit := model.DefaultLimit
	return verb{
		use: "search WORDS…", short: "Find work items of all agents, and file todos, by words",
		long: `search looks through the whole ledger: handles, objectives, blockers, reports, the beginnings of plans, and
questions that wait for an answer. All words must be there, whatever their case. "exact words", -without,
class:queued, has:report, age:>1d and agent:NAME work as in the console. --agent looks at one agent's alone.
Without it, the file todos of the repository around you are searched too: id, title, fields and text.
What the 20 newest sessions said and did is searched for plain words: the last 2 MiB of each, the newest 10 places.`,
		example: `vise search limiter 'class:queued,blocked'
vise search -- limiter -gateway`,
		flags: flags{{"limit", upTo{&limit, action.MostFound}, "how many work items at most"}},
		run: func(e *Env) (answer, error) {
			words := strings.Join(e.words, " ")
			var found []todoHit
			if e.agent == "" {
				found = searchTodos(e, words)
			}
			s, err := search(e, words, words, e.agent)
			if err != nil && (len(found) == 0 || !home.NoHome(err)) {
				return nil, err
			}
			rows := s.InOrder()
			out := searchedFor{Words: words, Total: len(rows), Todos: found,
				WorkItems: listed(rows[:min(len(rows), limit)])}
			out.Returned = len(out.WorkItems)
			if h, err := open(e); err == nil {
				out.Said = sessionsIn(h, e.now).Find(words, e.agent)
			}
			return answerOf(out, (*page).searched).warned(cutWarning(s)), nil
		},
	}
}

// search runs a filter to its end. Each step is a separate read.
func search(e *Env, name, words string, agent model.AgentID) (action.Search, error) {
	f := action.ParseFilter(words, e.now())
	if f.Trouble != "" {
		return action.Search{}, misuse("filter", "the filter %s does not read: %s", name, f.Trouble).
			WithHint("vise search 'age:<1d' finds what changed in the last day, age:>1d what did not; vise help search says more")
	}
	s := action.NewSearch(f, agent)
	for !s.Done {
		if err := read(e, func(r model.Reader) error { s.Step(r); return knownIfNamed(e, r) }); err != nil {
			return s, err
		}
	}
	return s, nil
}

func cutWarning(s action.Search) []model.Warning {
	if !s.Cut {
		return nil
	}
	return []model.Warning{{Kind: model.WarnFilterCut,
		Message: fmt.Sprintf("more than %d work items match; the search ended there, and more words narrow it", action.MostFound)}}
}

func (p *page) searched(x searchedFor) {
	p.foundItems(x)
	p.todoHits(x.Todos)
	for _, h := range x.Said {
		p.line("%s  said in session %s, %s ago: %s", h.Agent, model.Text(h.Session), p.age(h.At), h.Line)
	}
}

func (p *page) foundItems(x searchedFor) {
	if x.Total == 0 {
		p.say("no work item matches %s", x.Words)
		return
	}
	cells := make([][]cell, len(x.WorkItems))
	for i, r := range x.WorkItems {
		cells[i] = []cell{
			p.state(action.ShownClass(r), r.IsCurrent, r.Stalled),
			{text: string(r.Handle), paint: p.strong}, {text: safe(r.AgentID)}, {text: r.Objective.String()},
			{text: p.age(r.UpdatedAt), paint: p.muted},
		}
	}
	p.table(3, cells)
	if x.Returned < x.Total {
		p.quiet("%d of %d; --limit shows more", x.Returned, x.Total)
	}
}

// listFound lists an agent's work items that a filter accepts, in the scheduler's order.
func listFound(e *Env, o listOptions, words string) (answer, error) {
	if o.cursor != "" {
		return nil, misuse("cursor", "a saved filter has no pages").WithHint("a longer list: --limit, up to %d", model.MaxLimit)
	}
	agent, err := readAgent(e)
	if err != nil {
		return nil, err
	}
	s, err := search(e, o.filter, words, agent)
	if err != nil {
		return nil, err
	}
	rows := s.InOrder()
	out, err := readOne(e, func(r model.Reader) (home.ListResult, error) {
		out := home.ListResult{Context: home.ContextOf(r, agent), Filter: model.Filter(o.filter), Total: len(rows), Limit: o.limit,
			WorkItems: []model.View{}}
		for _, row := range rows[:min(len(rows), o.limit)] {
			out.WorkItems = append(out.WorkItems, home.GetResultOf(r, row.ID, o.todos).WorkItem)
		}
		out.Returned = len(out.WorkItems)
		return out, nil
	})
	return answerOf(out, (*page).list).warned(cutWarning(s)), err
}
