package action

import (
	"slices"
	"strings"
	"time"

	"vise/model"
)

// ParseReports reads a filter of finished work: words of the objective, text:words of
// the report, agent:, has:report, age:>1d, and each with "-" before it.
func ParseReportFilter(s string, now time.Time) RowFilter {
	f := RowFilter{now: now}
	for _, w := range FilterWords(s) {
		t := filterTerm{}
		if rest, ok := strings.CutPrefix(w, "-"); ok && rest != "" {
			t.not, w = true, rest
		}
		kind, arg, ok := strings.Cut(w, ":")
		switch {
		case strings.HasPrefix(w, `"`) || !ok:
			t.arg = strings.ToLower(strings.Trim(w, `"`))
		case kind == "age" && t.withKind("age", arg).check() == "", kind == "agent", kind == "text", kind == "has" && arg == "report", kind == "has" && arg == "":
			t.kind, t.arg = kind, strings.ToLower(strings.Trim(arg, `"`))
		default:
			f.Trouble = "no term " + model.Text(w).String() + ": text:, agent:, has:report and age:"
			continue
		}
		if t.arg != "" {
			f.terms = append(f.terms, t)
		}
	}
	return f
}

func (t filterTerm) withKind(kind, arg string) filterTerm {
	t.kind, t.arg = kind, arg
	return t
}

// ReadsText reports whether a filter looks into reports, which are read one by one.
func (f RowFilter) ReadsText() bool {
	return slices.ContainsFunc(f.terms, func(t filterTerm) bool { return t.kind == "text" })
}

// KeepsReport reports whether every term holds of finished work.
func (f RowFilter) KeepsReport(r model.Reader, row model.Row) bool {
	for _, t := range f.terms {
		holds := false
		switch t.kind {
		case "agent":
			holds = strings.HasPrefix(string(row.AgentID), t.arg)
		case "text":
			w, _ := r.Item(row.ID)
			holds = strings.Contains(strings.ToLower(w.ResultSummary.String()), t.arg)
		case "":
			holds = strings.Contains(searchable(row)+" "+string(row.AgentID), t.arg)
		default:
			holds = f.holds(t, row)
		}
		if holds == t.not {
			return false
		}
	}
	return true
}
