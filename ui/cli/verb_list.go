package cli

import (
	"context"
	"fmt"
	"slices"
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

func listVerb(e *Env) *cobra.Command {
	var o listOptions
	c := &cobra.Command{
		Use: "list [FILTER]", Short: "List an agent's work items in the scheduler's order",
		Example: "vise list queued\nvise list --filter 'age:>1d'",
		Long: "list shows an agent's own work items in the order in which they are offered. The filters are\n" +
			"all (the default), open, completed, current, queued, blocked, waiting_for_operator and runnable;\n" +
			"beside them, those that you saved under filters: in config.yaml, or with S in the console, and terms like\n" +
			"'class:queued age:>1d', as vise search takes them.",
	}
	f := c.Flags()
	f.StringVar(&o.filter, "filter", "", "the filter, as the argument; also the name of one that you saved")
	f.IntVar(&o.limit, "limit", model.DefaultLimit, fmt.Sprintf("how many, 1 to %d", model.MaxLimit))
	f.StringVar(&o.cursor, "cursor", "", "continue after the end of a list (its next_cursor)")
	f.BoolVar(&o.todos, "todos", false, "with the checklists")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		if len(args) > 0 {
			o.filter = args[0]
		}
		return list(e, o)
	})
}

func list(e *Env, o listOptions) (answer, error) {
	if o.limit < 1 || o.limit > model.MaxLimit {
		return answer{}, misuse("limit", "--limit %d is not 1 to %d", o.limit, model.MaxLimit).
			WithHint("a longer list comes in pages: --cursor")
	}
	words, saved, err := saved(e, o.filter)
	if err != nil {
		return answer{}, err
	}
	if saved {
		return listFound(e, o, words)
	}
	agents, err := readOne(e, func(r model.Reader) ([]model.AgentID, error) { return listedAgents(e, r) })
	if err != nil || len(agents) > 1 {
		return listByAgent(e, o, agents, err)
	}
	return readAnswer(e, (*page).list, func(r model.Reader) (home.ListResult, error) {
		agent, err := knownAgent(e, r)
		if err != nil {
			return home.ListResult{}, err
		}
		return home.ListResultOf(r, agent, model.Filter(o.filter), o.cursor, o.limit, o.todos)
	})
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
	if e.agent != "" {
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

// listByAgent lists the work items of each agent, at most one page for each.
func listByAgent(e *Env, o listOptions, agents []model.AgentID, err error) (answer, error) {
	if err == nil && o.cursor != "" {
		err = misuse("cursor", "--cursor goes on with the list of one agent").WithHint("name the agent: --agent %s", agents[0])
	}
	if err != nil {
		return answer{}, err
	}
	return readAnswer(e, (*page).byAgent, func(r model.Reader) (out byAgent, err error) {
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
		if l.Filter == model.FilterAll {
			p.line("no work items; vise new OBJECTIVE makes one")
			return
		}
		p.line("no work items (filter %s); vise list shows all", l.Filter)
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

// saved returns the operator's filter of that name, if the model has no filter of that name.
func saved(e *Env, name string) (words string, ok bool, err error) {
	if name == "" || slices.Contains(model.Filters, model.Filter(name)) {
		return "", false, nil
	}
	s, err := settings(e, "filters", "vise config check")
	if err != nil {
		return "", false, err
	}
	if words, ok = s.Filters[name]; ok {
		return words, true, nil
	}
	if strings.ContainsAny(name, " :\"") { // not a filter's name, so it is the filter itself
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
