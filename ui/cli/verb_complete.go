package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
)

type completeOptions struct {
	mutation
	reportFile string
	force      bool
	todos      todoDecisions
	threads    threadEnding
}

func (a *app) completeVerb() *cobra.Command {
	var o completeOptions
	c := &cobra.Command{
		Use: "complete ID", Short: "Complete a work item, for good",
		Long: "complete is final. The report is what the operator reads of it later; nothing is made up in its place.\n" +
			"Unfinished todos are a warning, running blocking work is a refusal that only the operator may --force.\n" +
			"Each open file todo that it links to needs a decision: none is ever closed silently.",
		Example: "vise complete wi-7f3k --report-file - <<< 'Moved the bucket; tests pass.'", ValidArgsFunction: a.openItems,
	}
	o.register(c)
	o.todos.register(c)
	o.threads.register(c)
	c.Flags().StringVar(&o.reportFile, "report-file", "", "the completion report; - is standard input")
	c.Flags().BoolVar(&o.force, "force", false, "although blocking work still runs")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) { return a.complete(ctx, args[0], o) })
}

// complete is a round of one call: its text becomes the report by the same rules as an
// agent's, with the item named.
func (a *app) complete(ctx context.Context, ref string, o completeOptions) (answer, error) {
	report, err := a.reportText(o.reportFile)
	if err != nil {
		return answer{}, err
	}
	if report, err = o.threads.report(report); err != nil {
		return answer{}, err
	}
	id, err := a.resolve(ctx, ref)
	if err != nil {
		return answer{}, err
	}
	agent, err := a.namedAgent()
	if err != nil {
		return answer{}, err
	}
	before, err := a.view(ctx, id)
	if err != nil {
		return answer{}, err
	}
	end, err := a.settled(before, o.threads)
	if err != nil {
		return answer{}, err
	}
	words, decided, err := a.decideTodos(ctx, before, o.todos)
	if err != nil {
		return answer{}, err
	}
	in, err := a.applyEnding(ctx, o.mutation, agent, model.Round{
		Text: report, WorkItemID: id,
		Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: id, Force: o.force, LinkedTodos: words, SeenRevision: o.ifRevision}}},
	}, end)
	if err != nil {
		return answer{}, err
	}
	in.WorkItemID = id
	return a.completion(ctx, in, report, decided.Decisions)
}

func (a *app) reportText(file string) (model.Text, error) {
	if file == "" {
		return "", nil
	}
	text, err := a.fileOrStdin("report", file)
	return model.Text(text), err
}

// completion answers a completion. A report for what had been completed before is not
// dropped without a word.
func (a *app) completion(ctx context.Context, in model.Receipt, report model.Text, todos []home.TodoDecision) (answer, error) {
	out := completionWithTodos{Todos: todos}
	err := a.read(ctx, func(r model.Reader) error {
		out.CompletionResult = home.CompletionResultOf(r, in)
		return nil
	})
	if !out.CompletedTransition && report != "" && out.WorkItem.Report == nil {
		out.Warnings = append(out.Warnings, model.Warning{
			Kind:    model.WarnReportOffered,
			Message: "it had been completed before; vise report " + string(out.WorkItem.Handle) + " gives it the report",
		})
	}
	return answer{data: out, warnings: out.Warnings, text: func(p *page) {
		did := "completed"
		if !out.CompletedTransition {
			did = "had been completed:"
		}
		p.changed(did, out.WorkItem)
		if out.ReportPromoted {
			p.line("its report is stored")
		}
		for _, t := range todos {
			p.line("%s: %s", t.Todo, t.Decision)
		}
	}}, err
}
