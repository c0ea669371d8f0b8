package accessible

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
)

// question asks for one argument of an action's verb.
type question struct {
	ask string
	// flag takes the answer. Without one it is the value of the flag that the table's verb ends with, or the verb's last words. named means
	// that it names what the verb is about.
	flag  string
	named bool
	// values are the possible answers. text means an answer of several lines, which a flag reads from standard input; with values, it is
	// one more choice. yes sets the flag after a yes.
	values    []string
	text, yes bool
	// needed means that without an answer, or after a no, the action is given up.
	needed bool
	// read converts an answer for the verb.
	read func(in string, now time.Time) ([]string, error)
}

var (
	why     = question{ask: "Why?", flag: "--reason", needed: true}
	recheck = question{ask: "Look again after, as 30m or 16:00 (empty: the default):", flag: "--recheck",
		read: func(in string, now time.Time) ([]string, error) {
			at, err := model.ParseTime(in, now)
			return []string{at.Sub(now).Round(time.Second).String()}, err
		}}
)

var (
	which       = question{ask: "Which todo, as review/001:", named: true, needed: true}
	whichThread = question{ask: "Which thread, by its id:", named: true, needed: true}
	inRepo      = question{ask: "The repository's directory (empty: this one):", flag: "--repo"}
)

// forms are the questions of the verbs whose questions do not depend on an item.
var forms = map[string][]question{
	"update --objective":   {{ask: "The objective:", needed: true}},
	"update --plan-status": {{ask: "The plan is", values: []string{"draft", "ready", "needs_input"}, needed: true}},
	"update --priority":    {{ask: "The priority is", values: []string{"high", "normal", "low"}, needed: true}},
	"new":                  {{ask: "The objective of the new work item:", needed: true}},
	"say":                  {{ask: "What to say to the agent.", text: true, needed: true}},
	"block":                {{ask: "What can it not advance without?", needed: true}, recheck},

	"todo show":                    {which},
	"todo triage --approve":        {which},
	"todo triage --defer":          {which},
	"todo triage --false-positive": {which, why}, "todo triage --out-of-scope": {which, why}, "todo triage --superseded": {which, why},
	"todo triage --wont-fix": {which, why}, "todo triage --undo": {which, why},
	"todo triage --duplicate-of": {which, {ask: "Of which todo, as review/002:", needed: true}, why},
	"todo triage --priority":     {which, {ask: "p1, p2 or p3:", needed: true}},
	"todo start":                 {which, {ask: "Approve it, if it is pending?", flag: "--approve", yes: true}},
	"todo complete":              {which, {ask: "What fixed it?", flag: "--reason", needed: true}},
	"todo interrupt":             {which}, "todo resume": {which}, "todo promote": {which},

	"thread show":            {whichThread, inRepo},
	"thread resume":          {whichThread, inRepo},
	"thread start":           {{ask: "Its goal:", needed: true}, inRepo},
	"thread resume --rebind": {whichThread, inRepo, {ask: action.TakeOverHint + " Take it over?", yes: true, needed: true}},
	"thread record":          {{ask: "Which command, as the thread recommends it:", needed: true, read: plainWords}, inRepo},
}

// plainWords splits a command into the words that run as they stand.
func plainWords(in string, _ time.Time) ([]string, error) {
	argv, plain := thread.Argv(model.Text(in))
	if !plain {
		return nil, model.Invalid(action.NotRunnableHint)
	}
	return argv, nil
}

// form returns the function that asks for the arguments of an action's verb, and runs it on what on names.
func (s *dialogue) form(id action.ID, on ...string) func(context.Context) error {
	return s.asking(action.Standard().ByID(id).Verb, on...)
}

// asking is form for a verb.
func (s *dialogue) asking(verb string, on ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := s.do(ctx, verb, on, forms[verb]...)
		return err
	}
}

// verbOption is a line of a menu that runs a verb.
type verbOption struct{ words, verb string }

// onTodos are what can be done with the file todos, onThreads with the threads.
func onTodos() []verbOption {
	out := []verbOption{{"Read one", "todo show"}, {"All todos by status", "todo list"}}
	for _, v := range action.Verdicts {
		out = append(out, verbOption{strings.TrimSuffix(v.Title, "…") + ": " + v.Does, v.Verb})
	}
	out = append(out, verbOption{"Undo: take a decision back", "todo triage --undo"})
	for _, x := range action.OfFiles {
		if x.Verb != "" {
			out = append(out, verbOption{strings.TrimSuffix(x.Title, "…") + ": " + x.Does, x.Verb})
		}
	}
	return append(out, verbOption{"Unblock: what is blocked or interrupted is ready again", "todo resume"})
}

var onThreads = []verbOption{
	{"Read one, with what it recommends", "thread show"},
	{"Those of other branches, with the commands that go to them", "thread list --parked"},
	{"Go on: the thread becomes the active one", "thread resume"}, {"Fresh: begin another thread here", "thread start"},
	{"Rebind: take a parked thread over to this branch", "thread resume --rebind"},
	{"Run: a command that it recommends, confirmed word by word", "thread record"},
}

// board returns the menu of what the repository keeps in files: what the action's verb lists, and what can be done with it.
func (s *dialogue) board(list action.ID, with []verbOption) func(context.Context) error {
	return func(ctx context.Context) error {
		listed := action.Standard().ByID(list)
		for {
			if err := s.run(ctx, strings.Fields(listed.Verb)...); err != nil {
				return err
			}
			var options []option
			for _, x := range with {
				options = append(options, plain(x.words, s.asking(x.verb)))
			}
			if back, err := s.choose(ctx, title(listed), options); back || err != nil {
				return err
			}
		}
	}
}

// do asks questions, and runs a verb on what on names with the answers. A written text is kept until the verb succeeds.
func (s *dialogue) do(ctx context.Context, verb string, on []string, questions ...question) (done bool, err error) {
	words, flag, flagged := strings.Cut(verb, " --")
	args := append(strings.Fields(words), on...)
	about := strings.Join(args[:min(len(args), 2)], " ")
	var flags, last []string
	var stdin string
	for _, q := range questions {
		answers, err := s.answers(ctx, about, q)
		switch {
		case err != nil || len(answers) == 0 && q.needed:
			return false, err
		case len(answers) == 0, q.yes && q.flag == "":
		case q.named:
			args = append(args, answers...)
		case q.flag == "":
			last = answers
		case q.yes:
			flags = append(flags, q.flag)
		case q.text:
			flags, stdin = append(flags, q.flag, "-"), answers[0]
		default:
			for _, in := range answers {
				flags = append(flags, q.flag+"="+in)
			}
		}
	}
	switch {
	case flagged:
		args = append(args, strings.Join(append([]string{"--" + flag}, last...), "="))
	case last != nil:
		flags = append(append(flags, "--"), last...)
	}
	args = append(args, flags...)
	done, err = s.ran(ctx, strings.NewReader(stdin), args...)
	if done {
		delete(s.kept, about)
	} else if s.kept[about] != "" {
		s.say("Your text is kept: choose the same again.")
	}
	return done, err
}

// answers asks one question. Without an answer it returns none. about names what a text is for.
func (s *dialogue) answers(ctx context.Context, about string, q question) (answers []string, err error) {
	var in string
	take := func(answer string) func(context.Context) error {
		return func(context.Context) error { in = answer; return nil }
	}
	write := func(ctx context.Context) (err error) { in, err = s.written(ctx, about, q.ask); return err }
	for {
		switch {
		case q.yes:
			var ok bool
			if ok, err = s.yes(ctx, q.ask); ok {
				in = "yes"
			}
		case len(q.values) > 0:
			var options []option
			for _, v := range q.values {
				options = append(options, plain(model.Text(v).String(), take(v)))
			}
			if q.text {
				options = append(options, plain("In your own words", write))
			}
			_, err = s.choose(ctx, q.ask, options)
		case q.text:
			err = write(ctx)
		default:
			in, err = s.ask(ctx, q.ask)
		}
		if err != nil || in == "" {
			return nil, err
		}
		if q.read == nil {
			return []string{in}, nil
		}
		if answers, err = q.read(in, s.Now()); err == nil {
			return answers, nil
		}
		s.say("%s.", model.Text(err.Error()))
	}
}

// acts carry out the actions that depend on more of an item than its id.
var acts = map[action.ID]func(*dialogue, context.Context, itemView) error{
	action.Pick: (*dialogue).pick, action.Complete: (*dialogue).complete, action.Block: (*dialogue).block, action.Wait: (*dialogue).wait,
	action.Answer: (*dialogue).answer, action.Review: (*dialogue).review, action.EditPlan: (*dialogue).editPlan,
	action.TodoList: (*dialogue).todos, action.Report: (*dialogue).report, action.Hide: (*dialogue).hide,
	action.CopyOf: (*dialogue).copies,
}

// offered returns the actions of the table that make sense now. The others share one line that gives the reasons.
func (s *dialogue) offered(l itemView) []option {
	does := s.always()
	for _, id := range []action.ID{action.Objective, action.Status, action.Priority} {
		does[id] = s.form(id, l.seen()...)
	}
	for id, do := range acts {
		does[id] = func(ctx context.Context) error { return do(s, ctx, l) }
	}
	return append(s.enabled(l.state, does), s.customOptions(&l)...)
}

// always are the actions that need no item.
func (s *dialogue) always() map[action.ID]func(context.Context) error {
	return map[action.ID]func(context.Context) error{
		action.New: s.form(action.New), action.Message: s.form(action.Message, string(s.agent)),
		action.Undo: s.form(action.Undo), action.Redo: s.form(action.Redo),
	}
}

// seen names the item with the revision that the operator saw: a change of a newer item is refused.
func (l itemView) seen() []string {
	return []string{string(l.row.ID), "--if-revision", strconv.FormatUint(l.row.Revision, 10)}
}

func (s *dialogue) pick(ctx context.Context, l itemView) (err error) {
	var questions []question
	if o := l.state.Desk.PickOutlook(l.row); o.AsksReason {
		questions = []question{{ask: fmt.Sprintf("Why leave %s? Empty: no reason is recorded:", o.From.Handle), flag: "--reason"}}
	}
	_, err = s.do(ctx, "pick", l.seen(), questions...)
	return err
}

func (s *dialogue) complete(ctx context.Context, l itemView) error {
	if u := l.detail.Unfinished(); u != nil {
		s.say("%s.", model.Text(u.Message))
	}
	var questions []question
	if s.Threads != nil {
		for _, w := range s.Threads.Unsettled(l.detail.Links.Threads) {
			s.say("%s.", model.Text(w.Message))
			questions = []question{{ask: "Why complete it all the same? Empty: it stays open:", flag: "--anyway", needed: true}}
		}
	}
	if s.Findings != nil && len(l.detail.Links.TodoRefs) > 0 {
		for _, t := range s.Findings.Open(ctx, l.detail.Links.TodoRefs) {
			questions = append(questions, question{flag: "--todo=" + string(t.Ref()), needed: true,
				ask: fmt.Sprintf("What becomes of %s, %s: finished, wont_fix:WHY, moved:ID or keep:", t.Ref(), t.Title)})
		}
	}
	_, err := s.do(ctx, "complete", l.seen(), append(questions,
		question{ask: "The report, or nothing.", flag: "--report-file", text: true},
		question{ask: fmt.Sprintf("It is final and cannot be reopened. Complete %s?", l.row.Handle), yes: true, needed: true})...)
	return err
}

func (s *dialogue) block(ctx context.Context, l itemView) (err error) {
	if l.row.BlockedBy == "" {
		return s.form(action.Block, l.seen()...)(ctx)
	}
	if ok, err := s.yes(ctx, fmt.Sprintf("Blocked by %s. Clear it?", l.row.BlockedBy)); err != nil || !ok {
		return err
	}
	return s.run(ctx, append([]string{"unblock"}, l.seen()...)...)
}

func (s *dialogue) wait(ctx context.Context, l itemView) error {
	reason := question{ask: "Why, which becomes its blocker (empty: made of the rest):", flag: "--reason"}
	kind := func(words, flag, ask string, more ...question) option {
		return plain(words, func(ctx context.Context) error {
			_, err := s.do(ctx, "wait", l.seen(), append([]question{{ask: ask, flag: flag, needed: true}}, more...)...)
			return err
		})
	}
	_, err := s.choose(ctx, "What should it wait for?", []option{
		kind("An answer of yours", "--operator", "The question:", question{ask: "Answers to propose, with | between (empty: none):",
			flag: "--choice", read: func(in string, _ time.Time) ([]string, error) { return strings.Split(in, "|"), nil }},
			reason, recheck),
		kind("A task or delegation", "--task", "Its id:", reason, recheck),
		kind("Another work item", "--after", "Its handle:", reason),
		kind("Something outside", "--external", "What, as github:owner/repo#7:",
			question{ask: "Who will tell, as ci (empty: anybody):", flag: "--source"},
			question{ask: "What must be so (empty: anything):", flag: "--condition"}, reason, recheck),
		kind("A time", "--timer", "When, as 30m, 16:00 or tomorrow 9:", reason),
	})
	return err
}

func (s *dialogue) answer(ctx context.Context, l itemView) (err error) {
	if id, is := l.row.Permission(); is {
		_, err = s.do(ctx, "permit", []string{string(id)}, question{ask: fmt.Sprintf("May it use %s?", l.detail.Objective), needed: true,
			values: []string{string(model.PermitOnce), string(model.PermitAlways), string(model.PermitDeny)}})
		return err
	}
	q, ok := l.detail.Question()
	if !ok {
		s.say("%s asks nothing any more.", l.row.Handle)
		return nil
	}
	asks := cmp.Or(q.Ask.Question, q.Reason, "Its plan needs input; the plan says what is missing.")
	questions := []question{{ask: fmt.Sprintf("Question: %s", asks), text: true, needed: true}}
	for _, c := range q.Ask.Choices {
		questions[0].values = append(questions[0].values, c.Raw()) // raw: returned to the program that offered it
	}
	if q.PlanNeedsInput {
		questions = append(questions, question{ask: "Is the plan ready with it?", flag: "--plan-ready", yes: true})
	}
	_, err = s.do(ctx, "answer", l.seen(), questions...)
	return err
}

// review shows an item whose trigger needs a review; otherwise it tries a stalled item or its agent again.
func (s *dialogue) review(ctx context.Context, l itemView) error {
	if l.state.Review() {
		return s.run(ctx, "show", string(l.row.ID))
	}
	r := l.state.Retry()
	return s.run(ctx, "retry", cmp.Or(string(r.WorkItemID), string(r.AgentID)))
}

// report gives a completed item its report: one of the offered reports, the operator's own words, or none.
func (s *dialogue) report(ctx context.Context, l itemView) error {
	id := string(l.row.ID)
	own := func(ctx context.Context) error {
		_, err := s.do(ctx, "report", []string{id}, question{ask: "Your report, or nothing.", flag: "--file", text: true, needed: true})
		return err
	}
	if len(l.detail.Offered) == 0 {
		return own(ctx)
	}
	var options []option
	for i, o := range l.detail.Offered {
		options = append(options, plain(fmt.Sprintf("Keep this, %s: %s", model.Spaced(o.Provenance), o.Text),
			s.running("report", id, fmt.Sprintf("--offered=%d", i+1))))
	}
	options = append(options, plain("Your own words", own),
		plain("None of them: it stays without a report, and asks no more", s.running("report", id, "--none")))
	_, err := s.choose(ctx, "Completed without a report. Which words are it?", options)
	return err
}

// hide hides what an item needs, until something new happens or until a time, or brings it back.
func (s *dialogue) hide(ctx context.Context, l itemView) error {
	if l.detail.Need.Hidden(s.Now()) {
		return s.run(ctx, append([]string{"hide", "--withdraw"}, l.seen()...)...)
	}
	in, err := s.ask(ctx, "Until when, as 2h or tomorrow 9 (empty: until something new happens):")
	if err != nil || in == "" {
		return cmp.Or(err, s.run(ctx, append([]string{"hide"}, l.seen()...)...))
	}
	return s.run(ctx, append([]string{"hide", "--until", in}, l.seen()...)...)
}

// editPlan opens the plan in the operator's editor, on the terminal.
func (s *dialogue) editPlan(ctx context.Context, l itemView) error {
	_, err := s.ran(ctx, s.In, "plan", "edit", string(l.row.ID))
	return err
}

// todoMarks are the states of a todo in the checklist's Markdown.
var todoMarks = map[model.TodoState]string{model.TodoPending: " ", model.TodoInProgress: "~", model.TodoCompleted: "x"}

// todos edits the checklist one change at a time. Each change saves the whole list.
func (s *dialogue) todos(ctx context.Context, l itemView) error {
	list := slices.Clone(l.detail.TodoList)
	for i, t := range list {
		s.say("%d. %s, %s", i+1, t.Text, model.Spaced(t.State))
	}
	in, err := s.ask(ctx, "A new todo; or a number with pending, in progress, completed, up, down, drop or new words:")
	if err != nil || in == "" {
		return err
	}
	number, change, _ := strings.Cut(in, " ")
	switch i, err := strconv.Atoi(number); {
	case err != nil || i < 1 || i > len(list) || change == "":
		list = append(list, model.Todo{Text: model.Text(in), State: model.TodoPending})
	case change == "drop":
		list = slices.Delete(list, i-1, i)
	case change == "up":
		list[i-1], list[max(i-2, 0)] = list[max(i-2, 0)], list[i-1]
	case change == "down":
		below := min(i, len(list)-1)
		list[i-1], list[below] = list[below], list[i-1]
	default:
		if state := model.TodoState(strings.ReplaceAll(change, " ", "_")); todoMarks[state] != "" {
			list[i-1].State = state
		} else {
			list[i-1].Text = model.Text(change)
		}
	}
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "- [%s] %s\n", todoMarks[t.State], t.Text.Raw()) // raw: returns to the ledger
	}
	_, err = s.ran(ctx, strings.NewReader(b.String()), append([]string{"update", "--todos", "-"}, l.seen()...)...)
	return err
}
