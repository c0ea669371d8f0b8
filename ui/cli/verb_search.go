package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
	"vise/ui/action"
)

// searchedFor is the data of search.
type searchedFor struct {
	Words string `json:"words"`
	// Returned is len(WorkItems). Total is the number of matches.
	Returned  int         `json:"returned"`
	Total     int         `json:"total_matching"`
	WorkItems []model.Row `json:"work_items"`
	// Todos are the file todos of the repository around the working directory. They belong to no agent.
	Todos []todoHit `json:"file_todos,omitempty"`
}

func searchVerb(e *Env) *cobra.Command {
	limit := model.DefaultLimit
	c := &cobra.Command{
		Use: "search WORDS…", Short: "Find work items of all agents, and file todos, by words",
		Long: "search looks through the whole ledger: handles, objectives, blockers, reports, the beginnings of plans, and\n" +
			"questions that wait for an answer. All words must be there, whatever their case. \"exact words\", -without,\n" +
			"class:queued, has:report, age:>1d and agent:NAME work as in the console. --agent looks at one agent's alone.\n" +
			"Without it, the file todos of the repository around you are searched too: id, title, fields and text.",
		Example: "vise search limiter 'class:queued,blocked'\nvise search -- limiter -gateway",
	}
	c.Flags().IntVar(&limit, "limit", limit, fmt.Sprintf("how many, 1 to %d", action.MostFound))
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		if limit < 1 || limit > action.MostFound {
			return answer{}, misuse("limit", "--limit %d is not 1 to %d", limit, action.MostFound)
		}
		words := strings.Join(args, " ")
		var found []todoHit
		if e.agent == "" {
			found = searchTodos(e, words)
		}
		s, err := search(e, words, words, e.agent)
		if err != nil && (len(found) == 0 || !home.NoHome(err)) {
			return answer{}, err
		}
		rows := s.InOrder()
		out := searchedFor{Words: words, Total: len(rows), WorkItems: append([]model.Row{}, rows[:min(len(rows), limit)]...), Todos: found}
		out.Returned = len(out.WorkItems)
		return answer{data: out, warnings: cutWarning(s), text: func(p *page) { p.searched(out); p.todoHits(out.Todos) }}, nil
	})
}

// search runs a filter to its end. Each step is a separate read.
func search(e *Env, name, words string, agent model.AgentID) (action.Search, error) {
	f := action.ParseFilter(words, e.now())
	if f.Trouble != "" {
		return action.Search{}, misuse("filter", "the filter %s does not read: %s", model.Text(name), f.Trouble)
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
	if x.Total == 0 {
		p.line("no work item matches %s", model.Text(x.Words))
		return
	}
	cells := make([][]cell, len(x.WorkItems))
	for i, r := range x.WorkItems {
		mark, name := className(action.ShownClass(r))
		if r.IsCurrent {
			name = "current"
		}
		cells[i] = []cell{
			{text: mark + " " + name, paint: func(s string) string { return p.class(action.ShownClass(r), s) }},
			{text: string(r.Handle), paint: p.strong}, {text: model.Text(r.AgentID).String()}, {text: r.Objective.String()},
			{text: p.age(r.UpdatedAt), paint: p.muted},
		}
	}
	p.table(3, cells)
	if x.Returned < x.Total {
		p.line("%s", p.muted(fmt.Sprintf("%d of %d; --limit shows more", x.Returned, x.Total)))
	}
}

// listFound lists an agent's work items that a filter accepts, in the scheduler's order.
func listFound(e *Env, o listOptions, words string) (answer, error) {
	if o.cursor != "" {
		return answer{}, misuse("cursor", "a saved filter has no pages").WithHint("a longer list: --limit, up to %d", model.MaxLimit)
	}
	agent, err := readAgent(e)
	if err != nil {
		return answer{}, err
	}
	s, err := search(e, o.filter, words, agent)
	if err != nil {
		return answer{}, err
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
	return answer{data: out, warnings: cutWarning(s), text: func(p *page) { p.list(out) }}, err
}
