package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// inboxOf is the data of inbox.
type inboxOf struct {
	Inbox []model.Inboxed `json:"inbox"`
	// Hidden is the number of snoozed entries. Snoozed are those entries, if they were requested.
	Hidden  int             `json:"snoozed_count"`
	Snoozed []model.Inboxed `json:"snoozed,omitempty"`
}

// inboxListed is the default limit of listed entries.
const inboxListed = 50

func inboxVerb(e *Env) *cobra.Command {
	limit, snoozed := inboxListed, false
	c := &cobra.Command{
		Use: "inbox", Short: "What needs you, across all agents",
		Example: "vise inbox",
		Long: "inbox lists what needs the operator: permissions, questions, stalled work, answers that no turn took, triggers of\n" +
			"idle agents, and work of the last week that was finished without a report. With --agent it lists what is that\n" +
			"agent's. vise ack ID quiets an entry, and vise snooze ID --until 2h hides it for a while.",
	}
	c.Flags().BoolVar(&snoozed, "snoozed", false, "also what is hidden, and until when")
	c.Flags().IntVar(&limit, "limit", limit, "how many entries at most")
	return e.plain(c, func(_ context.Context, _ []string) (answer, error) {
		sweepPermissions(e)
		return readAnswer(e, (*page).inbox, func(r model.Reader) (inboxOf, error) {
			if err := knownIfNamed(e, r); err != nil {
				return inboxOf{}, err
			}
			r = ofAgent(e, r)
			out := inboxOf{Inbox: append([]model.Inboxed{}, model.Inbox(r, e.now(), limit)...)}
			hidden, n := model.SnoozedEntries(r, e.now(), limit)
			if out.Hidden = n; snoozed {
				out.Snoozed = hidden
			}
			return out, nil
		})
	})
}

func (p *page) inbox(x inboxOf) {
	if len(x.Inbox) == 0 {
		p.line("nothing needs you")
	}
	for _, x := range x.Inbox {
		p.inboxed(x, "")
	}
	for _, x := range x.Snoozed {
		p.inboxed(x, model.Text(action.SnoozedWords(x.SnoozedUntil, p.now.Local())+": "))
	}
	if x.Hidden > len(x.Snoozed) {
		p.line("%s", p.muted(fmt.Sprintf("%d snoozed; vise inbox --snoozed lists them", x.Hidden)))
	}
}

func (p *page) inboxed(x model.Inboxed, before model.Text) {
	name, what := string(x.Handle), action.NeedSays(x)
	if id, asks := x.Question(); asks {
		name = string(id)
	}
	if id, asks := x.Permission(); asks {
		name, what = string(id), what+p.permitted(x.Row)
	}
	age := text.Age(p.now.Sub(x.Since).Round(time.Second))
	p.line("%s  %s  %s %s  %s", name, model.Text(x.AgentID), action.NeedWord(x), age, before+what)
}

// permitted says where a permission is asked for, and how to answer.
func (p *page) permitted(r model.Row) model.Text {
	in := " (in " + r.Wait.Source + ", session " + r.Wait.Resource + ")"
	switch {
	case r.Wait.TriggeredBy != "":
		return in + "; answered: " + r.Wait.TriggeredBy
	case r.PermitsHere(p.now):
		return in + "; vise permit " + model.Text(r.ID) + " once|always|deny"
	}
	return in + "; answer it there"
}

func ackVerb(e *Env) *cobra.Command {
	var m mutation
	c := &cobra.Command{
		Use: "ack ID", Short: "Hide a work item from the inbox until something new happens",
		Example:           "vise ack wi-7f3k",
		ValidArgsFunction: items(e, model.FilterOpen),
	}
	m.register(c)
	withdraw := c.Flags().Bool("withdraw", false, "take the acknowledgement back")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		o, err := orderFor(e, args[0], m, func(id model.ItemID) model.Command {
			return model.Acknowledge{WorkItemID: id, Withdraw: *withdraw, SeenRevision: m.ifRevision}
		})
		if err != nil {
			return answer{}, err
		}
		names, in, err := carryOut(e, o, namesOf)
		word := "acknowledged"
		if *withdraw {
			word = "no longer acknowledged:"
		}
		return receiptAnswer(in, "%s %s", didOf(in, word), names.item), err
	})
}

// upNext is the data of next: the scheduler's next step, and the candidates.
type upNext struct {
	AgentID  model.AgentID  `json:"agent_id"`
	Revision uint64         `json:"revision"`
	Decision model.Decision `json:"decision"`
	// Current is the current item, in any class.
	Current    *model.Row `json:"current,omitempty"`
	Candidates []class    `json:"candidates"`
	// NeedsOperator is the number of items that need a person.
	NeedsOperator int `json:"needs_operator"`
}

// class holds the first items of a candidate class.
type class struct {
	Class     model.Class `json:"candidate_class"`
	Total     int         `json:"total"`
	WorkItems []model.Row `json:"work_items"`
}

func nextVerb(e *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "next", Short: "Show what the scheduler would do now, and why",
		Example: "vise next --agent ann",
	}
	return e.verb(c, func(_ context.Context, _ []string) (answer, error) {
		return readAnswer(e, (*page).next, func(r model.Reader) (upNext, error) {
			agent, err := knownAgent(e, r)
			if err != nil {
				return upNext{}, err
			}
			d := model.DeskOf(r, agent, model.Stamp{At: e.now()}, model.Class.Limit)
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

// because says in a few words why a row has its place.
func because(r model.Row) string {
	switch {
	case r.Stalled:
		return "stalled; vise retry " + string(r.Handle)
	case r.Offered():
		return "vise report " + string(r.Handle) + " --offered"
	case r.Wait.Question != "":
		return r.Wait.Question.String()
	case r.Wait.Checked != "":
		return r.Wait.Checked.String()
	case !r.Wait.LastTriggeredAt.IsZero():
		return "triggered by " + r.Wait.TriggeredBy.String()
	case r.BlockedBy != "":
		return r.BlockedBy.String()
	case r.Todo.Current != "":
		return "▸ " + r.Todo.Current.String()
	case r.Priority != "":
		return string(r.Priority) + " priority"
	}
	return ""
}

// decisionWords returns a decision as a sentence.
func decisionWords(d model.Decision) string {
	words := map[model.DecisionKind]string{
		model.DecideNoop: "busy", model.DecideStartModelTurn: "is due for a turn", model.DecideEmitTick: "is due for a turn",
		model.DecideWaitForOperator: "waits for you", model.DecideWaitForTask: "waits for a task",
		model.DecideWaitForExternal: "waits for something outside", model.DecideWaitForTimer: "waits for a time",
		model.DecideSleep: "idle", model.DecideStayIdle: "asleep",
	}[d.Kind]
	if d.HeldBy != "" {
		return "rests until " + when(d.Until) + ": " + d.HeldBy
	}
	switch {
	case d.Kind == model.DecideStop:
		return "stopped: no turn begins until vise agents resume"
	case d.Offered():
		return strings.TrimPrefix(d.Words(), "it ")
	}
	return words + ": " + d.Words()
}

func retryVerb(e *Env) *cobra.Command {
	var m mutation
	c := &cobra.Command{
		Use: "retry AGENT|ID", Short: "Try an agent, or a stalled work item, again now",
		Example: "vise retry ann",
		Long: "retry offers an agent's work again: the agent rests no longer, and its stalled work items, or the one\n" +
			"ID, are no longer stalled. One turn begins as soon as a driver runs (vise drive, or vise serve --drive),\n" +
			"whatever the agent's limits are. vise why AGENT says what holds an agent back.",
		ValidArgsFunction: items(e, model.FilterOpen),
	}
	m.keyed(c)
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		r := model.Retry{AgentID: model.AgentID(args[0])}
		known, err := readOne(e, func(f model.Reader) (bool, error) { _, ok := f.Agent(r.AgentID); return ok, nil })
		if err != nil {
			return answer{}, err
		}
		if !known {
			if r.WorkItemID, err = resolve(e, args[0]); err != nil {
				return answer{}, err
			}
			r.AgentID = ""
		}
		in, err := send(e, m, "", r)
		if err != nil {
			return answer{}, err
		}
		return receiptAnswer(in, "%s: %s", in.AgentID, decisionWords(*in.Decision)), nil
	})
}

// message returns the words of a command line as one text. A single - reads standard input.
func message(e *Env, words []string) (model.Text, error) {
	if len(words) == 1 && words[0] == "-" {
		s, err := stdin(e, "text")
		return model.Text(s), err
	}
	return model.Text(strings.Join(words, " ")), nil
}

func sayVerb(e *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "say AGENT TEXT…", Short: "Say something to an agent",
		Example: "vise say ann 'leave the Redis script as it is'",
		Long: "say queues a message for an agent's next turn. A message never becomes a work item by itself. It waits\n" +
			"until a running turn has ended, unless the operator sends it with --priority interject. A TEXT of - is\n" +
			"standard input.",
	}
	var m mutation
	m.keyed(c)
	priority := c.Flags().String("priority", "normal", "interject, next, normal or background")
	item := c.Flags().String("item", "", "the work item that it is about")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		text, err := message(e, args[1:])
		if err != nil {
			return answer{}, err
		}
		s := model.Say{AgentID: model.AgentID(args[0]), Text: text, Priority: model.Priority(*priority)}
		if *item != "" {
			if s.WorkItemID, err = resolve(e, *item); err != nil {
				return answer{}, err
			}
		}
		in, err := send(e, m, "", s)
		return receiptAnswer(in, "queued for %s", s.AgentID), err
	})
}

func answerVerb(e *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "answer WAIT|ID|AGENT TEXT…", Short: "Answer a question of a work item, or of an agent itself",
		Example: "vise answer wi-7f3k LRU",
		Long: "answer replies to a question. Name the work item, the agent, or the WAIT that vise show names. The\n" +
			"answer triggers the wait, is kept with the item, and is handed to the agent, which decides what to do.\n" +
			"If the question replaced another one that nobody had answered, only its WAIT will do. An AGENT will not do\n" +
			"if one of its work items asks too. A TEXT of - is standard input.",
	}
	var m mutation
	m.register(c)
	ready := c.Flags().Bool("plan-ready", false, "set a plan that needs input to ready")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		names, in, err := answerQuestion(e, m, args, *ready)
		return receiptAnswer(in, "answered %s%s; %s will get it", cmp.Or(names.item, string(in.WaitID)),
			asking(in.Question), model.Text(in.AgentID)), err
	})
}

func answerQuestion(e *Env, m mutation, args []string, ready bool) (names receiptNames, in model.Receipt, err error) {
	x, err := asked(e, args[0])
	if err == nil {
		x.Text, err = message(e, args[1:])
	}
	if err != nil {
		return names, in, err
	}
	x.PlanReady, x.SeenRevision = ready, m.ifRevision
	m = m.requesting("answer", args[0], x.Text, x.PlanReady, x.SeenRevision)
	in, before, err := replayed(e, m)
	if err != nil {
		return names, in, err
	}
	if before {
		names, err = readOne(e, func(r model.Reader) (receiptNames, error) { return namesOf(r, in), nil })
		return names, in, err
	}
	return carryOut(e, order{mutation: m, command: x}, namesOf)
}

// asking returns the question as the end of a sentence about the agent that asks.
func asking(question model.Text) string {
	if question == "" {
		return ""
	}
	return ", which asked: " + question.String()
}

// asked returns the question that a reference means, before the answer is read. The answer names it and so reaches no other question.
func asked(e *Env, ref string) (x model.Answer, err error) {
	if strings.HasPrefix(ref, waitPrefix) {
		return model.Answer{WaitID: model.WaitID(ref)}, nil
	}
	err = read(e, func(r model.Reader) error {
		if _, known := r.Agent(model.AgentID(ref)); !known {
			return nil
		}
		x.AgentID = model.AgentID(ref)
		if q, asks := model.QuestionOf(r, x.AgentID); asks {
			x.WaitID, _ = q.Question()
		}
		return nil
	})
	if err != nil || x.AgentID != "" {
		return x, err
	}
	if x.WorkItemID, err = resolve(e, ref); err != nil {
		return x, err
	}
	return x, read(e, func(r model.Reader) error {
		w, _ := r.Item(x.WorkItemID)
		q, _ := model.ViewOf(r, w).Question()
		x.WaitID = q.WaitID
		return nil
	})
}

// The ids of waits and of work items begin with these.
const (
	waitPrefix = "wt-"
	itemPrefix = "wi-"
)
