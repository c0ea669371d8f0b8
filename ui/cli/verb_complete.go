package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
)

type completeOptions struct {
	mutation
	reportFile string
	force      bool
	todos      todoDecisions
	threads    threadEnding
}

func completeVerb(e *Env) *cobra.Command {
	var o completeOptions
	c := &cobra.Command{
		Use: "complete ID", Short: "Complete a work item, for good",
		Long: "complete is final. The report is what the operator reads later; vise never writes one itself. Unfinished\n" +
			"todos give a warning. While blocking work runs, vise refuses; only the operator can --force. Each open\n" +
			"file todo that is linked to the item needs a decision (--todo, --todos).",
		Example: "vise complete wi-7f3k --report-file - <<< 'Moved the bucket; tests pass.'", ValidArgsFunction: items(e, model.FilterOpen),
	}
	o.register(c)
	o.todos.register(c)
	o.threads.register(c)
	c.Flags().StringVar(&o.reportFile, "report-file", "", "the completion report; - is standard input")
	c.Flags().BoolVar(&o.force, "force", false, "complete it although blocking work still runs")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) { return complete(e, args[0], o) })
}

// complete is a round with one call. Its text becomes the report by the same rules as an agent's, with the item named.
func complete(e *Env, ref string, o completeOptions) (answer, error) {
	report, err := reportText(e, o.reportFile)
	if err != nil {
		return answer{}, err
	}
	if report, err = o.threads.report(report); err != nil {
		return answer{}, err
	}
	before, err := find(e, ref)
	if err != nil {
		return answer{}, err
	}
	end, err := settled(e, before, o.threads)
	if err != nil {
		return answer{}, err
	}
	words, decided, err := decideTodos(e, before, o.todos)
	if err != nil {
		return answer{}, err
	}
	round := model.Round{
		Text: report, WorkItemID: before.ID,
		Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: before.ID, Force: o.force, LinkedTodos: words,
			SeenRevision: o.ifRevision}}},
	}
	got, _, err := carryOut(e, order{o.mutation, e.agent, round, end}, func(r model.Reader, in model.Receipt) home.CompletionResult {
		in.WorkItemID = before.ID
		return home.CompletionResultOf(r, in)
	})
	if err != nil {
		return answer{}, err
	}
	return completion(got, decided.Decisions), nil
}

func reportText(e *Env, file string) (model.Text, error) {
	if file == "" {
		return "", nil
	}
	text, err := fileOrStdin(e, "report", file)
	return model.Text(text), err
}

// completion returns the answer to a completion.
func completion(got home.CompletionResult, todos []home.TodoDecision) answer {
	out := completionWithTodos{got, todos}
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
	}}
}

// threadEnding says how the threads of a completed item end.
type threadEnding struct {
	anyway, abandon string
	deadEnd         bool
}

func (t *threadEnding) register(c *cobra.Command) {
	c.Flags().StringVar(&t.anyway, "anyway", "", "complete it although its thread has gaps or unverified entries, for this reason")
	c.Flags().StringVar(&t.abandon, "abandon", "", "give the work up, for this reason: its threads end abandoned")
	c.Flags().BoolVar(&t.deadEnd, "dead-end", false, "with --abandon: record what was tried as a dead end")
}

// report returns the completion report. For work that is given up, the report says why.
func (t threadEnding) report(given model.Text) (model.Text, error) {
	why := strings.TrimSpace(t.abandon)
	switch {
	case why == "" && t.deadEnd:
		return given, misuse("dead-end", "--dead-end goes with --abandon").WithHint("give up with --abandon REASON")
	case why == "":
		return given, nil
	case given == "":
		return model.Text("Abandoned: " + why), nil
	}
	return given + model.Text("\n\nAbandoned: "+why), nil
}

// settled compares a completion with the item's threads before anything is changed. Its finding is advice: with a reason the completion
// proceeds, and the thread's log keeps the reason. Work that is given up needs no verification.
func settled(e *Env, v model.View, t threadEnding) (end home.Ending, err error) {
	if why := strings.TrimSpace(t.abandon); why != "" {
		end.Abandon = &home.Abandonment{Reason: model.Text(why), DeadEnd: t.deadEnd}
		return end, nil
	}
	end.Anyway = model.Text(strings.TrimSpace(t.anyway))
	if end.Anyway != "" || v.State != model.Open {
		return end, nil
	}
	against := e.threads("").Unsettled(v.Links.Threads)
	if len(against) == 0 {
		return end, nil
	}
	words := make([]string, len(against))
	for i, w := range against {
		words[i] = w.Message
	}
	return end, model.Refuse(model.CodeRefused, "the thread of %s speaks against it: %s", v.Handle, strings.Join(words, "; ")).At("anyway").
		WithHint("vise thread record -- COMMAND verifies; --anyway REASON completes all the same")
}

// todoDecisions say what happens to the open file todos of a completed item.
type todoDecisions struct {
	all string
	one []string
}

func (t *todoDecisions) register(c *cobra.Command) {
	c.Flags().StringVar(&t.all, "todos", "", "the decision for every open linked file todo: "+home.DecisionForms)
	c.Flags().StringArrayVar(&t.one, "todo", nil, "the decision for one of them, as review/003=finished; can be given again")
}

// completionWithTodos is the answer of complete.
type completionWithTodos struct {
	home.CompletionResult
	Todos []home.TodoDecision `json:"linked_todos,omitempty"`
}

// decideTodos matches the decisions with the open todos that an item links to. Each todo needs a decision. It changes nothing.
func decideTodos(e *Env, v model.View, t todoDecisions) (map[string]model.Text, home.TodoDecisions, error) {
	if len(v.Links.TodoRefs) == 0 && t.all == "" && len(t.one) == 0 {
		return nil, home.TodoDecisions{}, nil
	}
	files := home.NewTodoFiles()
	defer files.Close()
	words, err := t.words(file.Undecided(v.Links.TodoRefs, files.Find))
	if err != nil {
		return nil, home.TodoDecisions{}, err
	}
	item := model.WorkItem{ID: v.ID, Handle: v.Handle, Links: v.Links}
	decided, err := e.home.DecideTodos(e, files, e.actor, item, words)
	if err == nil && v.State == model.Open {
		err = decided.Ask(v.Handle)
	}
	return words, decided, err
}

// words returns the decisions by todo. A decision on a todo that is not open and linked is an error.
func (t todoDecisions) words(open []file.Todo) (map[string]model.Text, error) {
	if t.all != "" && !home.IsDecision(t.all) {
		return nil, misuse("todos", "--todos %q decides nothing", model.Text(t.all)).WithHint("give %s", home.DecisionForms)
	}
	out := map[string]model.Text{}
	for _, x := range open {
		if t.all != "" {
			out[string(x.Ref())] = model.Text(t.all)
		}
	}
	for _, one := range t.one {
		ref, word, ok := strings.Cut(one, "=")
		if !ok {
			return nil, misuse("todo", "%q decides nothing", model.Text(one)).WithHint("give REF=DECISION, with %s", home.DecisionForms)
		}
		if !slices.ContainsFunc(open, func(x file.Todo) bool { return x.Ref() == file.Ref(ref) }) {
			return nil, misuse("todo", "%s is not an open todo of this work item", model.Text(ref)).WithHint("vise show names the links")
		}
		out[ref] = model.Text(word)
	}
	return out, nil
}

// linked writes the file todos that an item links to.
func (p *page) linked(list []home.LinkedTodo) {
	if len(list) == 0 {
		return
	}
	p.line("")
	p.line("%s", p.muted("file todos"))
	for _, x := range list {
		if x.Missing != "" {
			p.line("  %s  %s", x.Todo, x.Missing)
			continue
		}
		p.line("  %s  %s  %s", x.Todo, model.Text(x.Status), x.Title)
	}
}

type reportOptions struct {
	mutation
	file string
	// offered is the number of the chosen report, from 1. 0 means none.
	offered int
	// none declines all offered reports.
	none bool
}

func reportVerb(e *Env) *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use: "report ID", Short: "Show a completion report, or give one to an item without", ValidArgsFunction: items(e, model.FilterDone),
		Example: "vise report wi-7f3k\nvise report wi-7f3k --file report.md",
	}
	o.keyed(c)
	c.Flags().StringVar(&o.file, "file", "", "store this file as the report; - is standard input")
	c.Flags().IntVar(&o.offered, "offered", 0, "store this one of the offered reports; vise report ID numbers them")
	c.Flags().Lookup("offered").NoOptDefVal = "1"
	c.Flags().BoolVar(&o.none, "none", false, "decline all offered reports")
	oneOnly(c, "file", "offered", "none")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		switch {
		case o.none:
			return settleReport(e, args[0], o, "declined the reports of", func(id model.ItemID) model.Command {
				return model.DeclineReport{WorkItemID: id}
			})
		case o.file == "" && o.offered == 0:
			return readItem(e, args[0], (*page).report, func(r model.Reader, w model.WorkItem) (out home.CompletionResult) {
				out.WorkItem = home.ViewOf(r, w.ID)
				return out
			})
		}
		return giveReport(e, args[0], o)
	})
}

// offeredText returns the chosen report.
func offeredText(e *Env, ref string, n int) (model.Text, error) {
	v, err := find(e, ref)
	if err != nil {
		return "", err
	}
	if n < 1 || n > len(v.Offered) {
		return "", model.Refuse(model.CodeNotFound, "%s has %d offered reports", v.Handle, len(v.Offered)).At("offered").
			WithHint("vise report %s shows them; --file gives it words of your own", v.Handle)
	}
	return v.Offered[n-1].Text, nil
}

func giveReport(e *Env, ref string, o reportOptions) (answer, error) {
	text, err := reportText(e, o.file)
	if o.offered != 0 {
		text, err = offeredText(e, ref, o.offered)
	}
	if err != nil {
		return answer{}, err
	}
	return settleReport(e, ref, o, "reported", func(id model.ItemID) model.Command {
		return model.ReportWorkItem{WorkItemID: id, Text: text}
	})
}

func settleReport(e *Env, ref string, o reportOptions, did string, make func(model.ItemID) model.Command) (answer,
	error) {
	ordered, err := orderFor(e, ref, o.mutation, make)
	if err != nil {
		return answer{}, err
	}
	show := func(p *page, in model.Receipt, out home.CompletionResult) { p.changed(didOf(in, did), out.WorkItem) }
	return receiptShown(e, ordered, show, home.CompletionResultOf)
}

func (p *page) report(out home.CompletionResult) {
	switch v := out.WorkItem; {
	case v.Report != nil:
		p.line("%s", v.Report.Text.Multiline())
	case v.State == model.Open:
		p.line("%s is open; a report follows its completion", v.Handle)
	case len(v.Offered) > 0:
		p.offers(v)
	default:
		p.line("%s was completed without a report; vise report %s --file - gives it one", v.Handle, v.Handle)
	}
}

// offers shows the reports from which the operator can choose.
func (p *page) offers(v model.View) {
	p.line("%s was completed without a report; these words are offered. vise report %s --offered=N keeps one.", v.Handle, v.Handle)
	for i, o := range v.Offered {
		shared := ""
		if len(o.SharedWith) > 0 {
			shared = ", said of several work items at once"
		}
		p.line("\n%d (%s%s)\n%s", i+1, o.Provenance, shared, o.Text.Multiline())
	}
}
