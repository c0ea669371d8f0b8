package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/action"
)

// upNext is the data of next: what the scheduler would do, and for which candidates.
type upNext struct {
	AgentID  model.AgentID  `json:"agent_id"`
	Revision uint64         `json:"revision"`
	Decision model.Decision `json:"decision"`
	// Current is the focus, whatever its class.
	Current    *model.Row `json:"current,omitempty"`
	Candidates []class    `json:"candidates"`
	// NeedsOperator is how many items need a person.
	NeedsOperator int `json:"needs_operator"`
}

// class is the first items of a candidate class.
type class struct {
	Class     model.Class `json:"candidate_class"`
	Total     int         `json:"total"`
	WorkItems []model.Row `json:"work_items"`
}

func (a *app) nextVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "next", Short: "Say what the scheduler would do now, and why",
	}
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) {
		return readAnswer(ctx, a, (*page).next, func(r model.Reader) (upNext, error) {
			agent, err := a.knownAgent(r)
			if err != nil {
				return upNext{}, err
			}
			d := model.DeskOf(r, agent, model.Stamp{At: a.now()}, model.Class.Limit)
			out := upNext{AgentID: agent, Revision: d.Revision, Decision: d.Decision, Current: d.Current, NeedsOperator: d.NeedsYou}
			out.Candidates = []class{}
			for _, s := range d.Sections {
				if s.Total > 0 {
					out.Candidates = append(out.Candidates, class{s.Class, s.Total, s.Rows})
				}
			}
			return out, nil
		})
	})
}

func (p *page) next(n upNext) {
	p.line("%s", p.strong("agent "+string(n.AgentID)+": "+decisionWords(n.Decision)))
	if n.Current != nil {
		p.line("")
		p.section(n.Current.Class, "current", "", []model.Row{*n.Current})
	}
	for _, c := range n.Candidates {
		_, name := className(c.Class)
		p.line("")
		p.section(c.Class, name, of(len(c.WorkItems), c.Total), c.WorkItems)
	}
	if n.Current == nil && len(n.Candidates) == 0 {
		p.line("no work items; vise new OBJECTIVE makes one")
	}
}

func (p *page) section(c model.Class, name, count string, rows []model.Row) {
	p.line("%s", p.class(c, strings.ToUpper(name)+count))
	cells := make([][]cell, len(rows))
	for i, r := range rows {
		mark, _ := className(action.ShownClass(r))
		cells[i] = []cell{
			{text: mark + " " + string(r.Handle), paint: func(s string) string { return p.class(action.ShownClass(r), s) }},
			{text: r.Objective.String()}, {text: because(r)}, {text: p.age(r.UpdatedAt), paint: p.muted},
		}
	}
	p.table(1, cells)
}

// because says in a few words why a row is where it is.
func because(r model.Row) string {
	switch {
	case r.Offered():
		return "vise report " + string(r.Handle) + " --offered"
	case r.Wait.Question != "":
		return r.Wait.Question.String()
	case !r.Wait.LastTriggeredAt.IsZero():
		return "triggered by " + r.Wait.TriggeredBy.String()
	case r.BlockedBy != "":
		return r.BlockedBy.String()
	case r.Todo.Current != "":
		return "▸ " + r.Todo.Current.String()
	}
	return ""
}

// decisionWords is a decision as a sentence.
func decisionWords(d model.Decision) string {
	words := map[model.DecisionKind]string{
		model.DecideStop: "stopped, so it is left alone", model.DecideNoop: "a turn is in progress",
		model.DecideStartModelTurn: "starts a turn for queued input", model.DecideEmitTick: "gets a turn",
		model.DecideWaitForOperator: "waits for you", model.DecideWaitForTask: "waits for a task",
		model.DecideWaitForExternal: "waits for something outside", model.DecideWaitForTimer: "waits for a time",
		model.DecideSleep: "sleeps, nothing is to be done", model.DecideStayIdle: "stays asleep",
	}[d.Kind]
	why := strings.ReplaceAll(d.Reason, "_", " ")
	if len(d.Evidence) > 0 {
		why += ", " + strings.Join(d.Evidence, ", ")
	}
	return words + " (" + why + ")"
}
