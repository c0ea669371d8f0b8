package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vise/model"
	"vise/store/home"
	"vise/ui/action"
	"vise/ui/config"
)

// maxScanned bounds the rows that a saved filter looks at.
const maxScanned = 10_000

// saved is the operator's filter of that name, if it is none of the model's.
func (a *app) saved(name string) (words string, ok bool, err error) {
	if name == "" || slices.Contains(model.Filters, model.Filter(name)) {
		return "", false, nil
	}
	var all map[string]string
	if at, err := config.PlaceOf(a.getenv); err == nil { // without a place for it there is no configuration
		if err := config.ReadPart(at.File, "filters", &all); err != nil {
			return "", false, misuse("filter", "the configuration %s does not read", model.Text(at.File)).Because(err).WithHint("vise config check")
		}
	}
	if words, ok = all[name]; ok {
		return words, true, nil
	}
	return "", false, misuse("filter", "unknown filter %q", model.Text(name)).
		WithHint("the filters are %s%s", strings.Join(filters(), ", "), yours(slices.Sorted(maps.Keys(all))))
}

func yours(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; yours: " + model.Text(strings.Join(names, ", ")).String()
}

// listSaved lists the rows that a saved filter keeps, in the scheduler's order.
func (a *app) listSaved(ctx context.Context, o listOptions, words string) (answer, error) {
	if o.cursor != "" {
		return answer{}, misuse("cursor", "a saved filter has no pages").WithHint("a longer list: --limit, up to %d", model.MaxLimit)
	}
	f := action.ParseFilter(words, a.now())
	if f.Trouble != "" {
		return answer{}, misuse("filter", "the filter %s does not read: %s", model.Text(o.filter), f.Trouble)
	}
	var out home.ListResult
	var warnings []model.Warning
	err := a.read(ctx, func(r model.Reader) error {
		agent, err := a.knownAgent(r)
		if err != nil {
			return err
		}
		rows, all := rowsOf(r, agent)
		if !all {
			warnings = append(warnings, model.Warning{Kind: model.WarnFilterCut, Message: fmt.Sprintf("only the first %d work items were looked at", maxScanned)})
		}
		keep := f.Keeps(slices.Values(rows))
		rows = slices.DeleteFunc(rows, func(r model.Row) bool { return !keep(r) })
		out = home.ListResult{Context: home.ContextOf(r, agent), Filter: model.Filter(o.filter), Total: len(rows), Limit: o.limit, WorkItems: []model.View{}}
		for _, row := range rows[:min(len(rows), o.limit)] {
			out.WorkItems = append(out.WorkItems, home.GetResultOf(r, row.ID, o.todos).WorkItem)
		}
		out.Returned = len(out.WorkItems)
		return nil
	})
	return answer{data: out, warnings: warnings, text: func(p *page) { p.list(out) }}, err
}

// rowsOf are an agent's rows in the scheduler's order, and whether those are all.
func rowsOf(r model.Reader, agent model.AgentID) (rows []model.Row, all bool) {
	for _, class := range model.Classes {
		room := maxScanned - len(rows)
		rows = append(rows, r.Rows(agent, class, nil, room+1)...)
		if len(rows) > maxScanned {
			return rows[:maxScanned], false
		}
	}
	return rows, true
}
