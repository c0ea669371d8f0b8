package cli

import (
	"fmt"
	"slices"
	"strings"

	"vise/model"
	"vise/model/prompt"
	file "vise/model/todo"
	"vise/store/home"
)

func completeVerb() verb {
	var c model.CompleteWorkItem
	var file, anyway, abandon string
	var deadEnd bool
	var todos todoDecisions
	return verb{
		use: "complete ID", short: "Complete a work item, for good", items: model.FilterOpen,
		long: `complete is final. The report is what you read later; vise never writes one itself. Unfinished
todos give a warning. While blocking work runs, vise refuses; only you, no agent, can --force. Each open
file todo that is linked to the item needs a decision (--todo, --todos).`,
		example:  "vise complete wi-7f3k --report-file - <<< 'Moved the bucket; tests pass.'",
		revision: &c.SeenRevision,
		flags: flags{
			{"report-file", &file, "the completion report; - is standard input"},
			{"force", &c.Force, "complete it although blocking work still runs"},
			{"todos", &todos.all, "the decision for every open linked file todo: " + home.DecisionForms},
			{"todo", &todos.one, "the decision for one of them, as reviews/abc/review/003=finished; can be given again"},
			{"anyway", &anyway, "complete it although its thread has gaps or unverified entries, for this reason"},
			{"abandon", &abandon, "give the work up, for this reason: its threads end abandoned"},
			{"dead-end", &deadEnd, "with --abandon: record what was tried as a dead end"},
		},
		run: func(e *Env) (answer, error) {
			report, err := reportText(e, file)
			if err != nil {
				return nil, err
			}
			why := strings.TrimSpace(abandon)
			if why == "" && deadEnd {
				return nil, misuse("dead-end", "--dead-end goes with --abandon").WithHint("give up with --abandon REASON")
			}
			before, err := find(e, e.words[0])
			if err != nil {
				return nil, err
			}
			if err := final(e, e.words[0], before, report != "" || why != ""); err != nil {
				return nil, err
			}
			e.end.Anyway = model.Text(strings.TrimSpace(anyway))
			switch {
			case why != "": // work that is given up needs no verification, and its report says why
				e.end = home.Ending{Abandon: &home.Abandonment{Reason: model.Text(why), DeadEnd: deadEnd}}
				said := model.Text("Abandoned: " + why)
				if report != "" {
					said = report + "\n\n" + said
				}
				report = said
			case e.end.Anyway == "" && before.State == model.Open:
				err = unsettled(e, before)
			}
			if err != nil {
				return nil, err
			}
			words, decided, err := decideTodos(e, before, todos)
			if err != nil {
				return nil, err
			}
			c.WorkItemID, c.LinkedTodos = before.ID, words
			return complete(e, c, report, decided.Decisions)
		},
	}
}

// final holds back a completion that was not meant: of an item that is not named by its whole handle, and on a terminal, unless the answer
// is yes, one without a report or with todos that are not completed.
func final(e *Env, ref string, v model.View, reported bool) error {
	ref = "wi-" + strings.TrimPrefix(strings.ToLower(strings.TrimSpace(ref)), "wi-")
	if ref != string(v.Handle) && ref != string(v.ID) {
		return misuse("id", "a completion is final, so it names its work item by the whole handle").
			WithHint("did you mean %s, %s?", v.Handle, v.Objective)
	}
	var lacks []string
	if !reported {
		lacks = append(lacks, "without a report")
	}
	if done, _, all := (model.WorkItem{TodoList: v.TodoList}).TodoCounts(); done < all {
		lacks = append(lacks, "with "+model.Counted(all-done, "todo")+" not completed")
	}
	if v.State == model.Completed || lacks == nil || !e.ttyIn || !e.ttyOut || e.flags.json {
		return nil
	}
	fmt.Fprintf(e.err, "%s %s\nIt is final. Complete it %s? [y/N] ", v.Handle, v.Objective, strings.Join(lacks, " and "))
	agreed, err := yes(e)
	if err == nil && !agreed {
		err = refuse("nothing was changed").WithHint("vise complete %s --report-file - takes the report", v.Handle)
	}
	return err
}

// complete is a round with one call. Its text becomes the report by the same rules as an agent's, with the item named.
func complete(e *Env, c model.CompleteWorkItem, report model.Text, todos []home.TodoDecision) (answer, error) {
	round := model.Round{Text: report, WorkItemID: c.WorkItemID, Calls: []model.Call{{Command: c}}}
	ans, err := changeAnswer(e, e.agent, round, func(r model.Reader, in model.Receipt) completionWithTodos {
		in.WorkItemID = c.WorkItemID
		return completionWithTodos{home.CompletionResultOf(r, in), todos}
	}, (*page).completed)
	if out, ok := ans.data.(completionWithTodos); ok {
		ans.warnings = out.Warnings
	}
	return ans, err
}

func reportText(e *Env, file string) (model.Text, error) {
	if file == "" {
		return "", nil
	}
	text, err := fileOrStdin(e, "report", file)
	return model.Text(text), err
}

func (p *page) completed(_ model.Receipt, out completionWithTodos) {
	did := "completed"
	if !out.CompletedTransition {
		did = "had been completed:"
	}
	p.changed(did, out.WorkItem)
	if out.ReportPromoted {
		p.line("its report is stored")
	}
	for _, t := range out.Todos {
		p.line("%s: %s", t.Todo, t.Decision)
	}
}

// unsettled is what an item's threads say against its completion, before anything is changed. It is advice: with a reason the completion
// proceeds, and the thread's log keeps the reason.
func unsettled(e *Env, v model.View) error {
	var words []string
	for _, w := range threadsOf(e, "").Unsettled(v.Links.Threads) {
		words = append(words, w.Message)
	}
	if words == nil {
		return nil
	}
	return refuse("the thread of %s speaks against it: %s", v.Handle, strings.Join(words, "; ")).At("anyway",
		"vise thread record -- COMMAND verifies; --anyway REASON completes all the same")
}

// todoDecisions say what happens to the open file todos of a completed item.
type todoDecisions struct {
	all string
	one []string
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
	item := model.WorkItem{ID: v.ID, Handle: v.Handle, Links: v.Links}
	words, err := t.words(item, file.Undecided(v.Links.TodoRefs, files.Find))
	if err != nil {
		return nil, home.TodoDecisions{}, err
	}
	decided, err := e.home.DecideTodos(e, files, e.actor, item, words)
	if err == nil && v.State == model.Open {
		err = decided.Ask(v.Handle)
	}
	return words, decided, err
}

// words returns the decisions by todo. A decision on a todo that is not open and linked is an error.
func (t todoDecisions) words(item model.WorkItem, open []file.Todo) (map[string]model.Text, error) {
	if t.all != "" && !home.IsDecision(t.all) {
		return nil, misuse("todos", "--todos %q decides nothing", t.all).WithHint("give %s", home.DecisionForms)
	}
	out := map[string]model.Text{}
	for _, x := range open {
		if t.all != "" {
			out[string(x.Full())] = model.Text(t.all)
		}
	}
	for _, one := range t.one {
		ref, word, ok := strings.Cut(one, "=")
		if !ok {
			return nil, misuse("todo", "%q decides nothing", one).WithHint("give REF=DECISION, with %s", home.DecisionForms)
		}
		l, err := home.OneLinked(item, ref)
		if err != nil {
			return nil, fault(err).At("todo")
		}
		full := file.LinkedFull(l)
		if !slices.ContainsFunc(open, func(x file.Todo) bool { return x.Full() == full }) {
			return nil, misuse("todo", "%s is not an open todo of this work item", full).WithHint("vise show names the links")
		}
		out[string(full)] = model.Text(word)
	}
	return out, nil
}

// linked writes the file todos that an item links to.
func (p *page) linked(list []prompt.LinkedTodo) {
	if len(list) == 0 {
		return
	}
	p.line("")
	p.lines(p.muted("file todos"))
	for _, x := range list {
		if x.Missing != "" {
			p.line("  %s  %s", x.Todo, x.Missing)
			continue
		}
		p.say("  %s  %s  %s", x.Todo, x.Status, x.Title)
	}
}

func reportVerb() verb {
	var file string
	var offered int // from 1
	var none bool
	return verb{
		use: "report ID", short: "Show a completion report, or give one to an item without", items: model.FilterDone,
		example: `vise report wi-7f3k
vise report wi-7f3k --file report.md`,
		keyed: true,
		flags: flags{
			{"file", &file, "store this file as the report; - is standard input"},
			{"offered", &offered, "store this one of the offered reports; vise report ID numbers them"},
			{"none", &none, "decline all offered reports"},
		},
		excludes: "file offered none",
		run: func(e *Env) (answer, error) {
			if file == "" && offered == 0 && !none {
				var warned []model.Warning
				a, err := readItem(e, e.words[0], (*page).report, func(r model.Reader, w model.WorkItem) (out home.CompletionResult) {
					out.WorkItem = home.ViewOf(r, w.ID)
					if out.WorkItem.Report != nil {
						warned = out.WorkItem.Report.Warnings
					}
					return out
				})
				if err != nil {
					return nil, err
				}
				return a.warned(warned), nil
			}
			text, err := reportText(e, file)
			if offered != 0 {
				text, err = offeredText(e, e.words[0], offered)
			}
			if err != nil {
				return nil, err
			}
			id, err := resolve(e, e.words[0])
			if err != nil {
				return nil, err
			}
			var c model.Command = model.ReportWorkItem{WorkItemID: id, Text: text}
			did := "reported"
			if none {
				c, did = model.DeclineReport{WorkItemID: id}, "declined the reports of"
			}
			return changeAnswer(e, e.agent, c, home.CompletionResultOf, func(p *page, in model.Receipt, out home.CompletionResult) {
				p.changed(didOf(in, did), out.WorkItem)
			})
		},
	}
}

// offeredText returns the chosen report.
func offeredText(e *Env, ref string, n int) (model.Text, error) {
	v, err := find(e, ref)
	if err != nil {
		return "", err
	}
	if n < 1 || n > len(v.Offered) {
		return "", notFound("%s has %d offered reports", v.Handle, len(v.Offered)).At("offered",
			"vise report %s shows them; --file gives it words of your own", v.Handle)
	}
	return v.Offered[n-1].Text, nil
}

func (p *page) report(out home.CompletionResult) {
	switch v := out.WorkItem; {
	case v.Report != nil:
		p.lines(v.Report.Text.Multiline())
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
	p.line("%s was completed without a report; these words are offered. vise report %s --offered N keeps one.", v.Handle, v.Handle)
	for i, o := range v.Offered {
		shared := ""
		if len(o.SharedWith) > 0 {
			shared = ", said of several work items at once"
		}
		p.line("\n%d (%s%s)\n%s", i+1, model.Spaced(o.Provenance), shared, o.Text.Multiline())
	}
}
