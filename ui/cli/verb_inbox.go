package cli

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/text"
)

// inboxOf is the data of inbox.
type inboxOf struct {
	Inbox []model.Inboxed `json:"inbox"`
	// Unread are answers that no turn took yet, until they become entries of the inbox.
	Unread []model.Inboxed `json:"answered,omitempty"`
	// Hidden is the number of snoozed entries. Snoozed are those entries, if they were requested.
	Hidden  int             `json:"snoozed_count"`
	Snoozed []model.Inboxed `json:"snoozed,omitempty"`
}

// inboxListed is the default limit of listed entries.
const inboxListed = 50

func inboxVerb() verb {
	limit, snoozed := inboxListed, false
	return verb{
		use: "inbox", short: "What needs you, across all agents",
		long: `inbox lists what needs you: permissions, questions, stalled work, answers that no turn took, news for
idle agents, and work of the last week that was finished without a report. With --agent it lists what is that
agent's. vise hide ID hides an entry until something new happens, or with --until 2h for a while.`,
		example: "vise inbox",
		flags: flags{
			{"snoozed", &snoozed, "also what is hidden, and until when"},
			{"limit", &limit, "how many entries at most"},
		},
		who: anybody,
		run: func(e *Env) (answer, error) {
			sweepPermissions(e)
			return readAnswer(e, (*page).inbox, func(r model.Reader) (inboxOf, error) {
				if err := knownIfNamed(e, r); err != nil {
					return inboxOf{}, err
				}
				r = ofAgent(e, r)
				out := inboxOf{Inbox: listed(model.Inbox(r, e.now(), limit))}
				r.Inbox(model.NeedPickup, func(x model.Inboxed) bool {
					if !slices.ContainsFunc(out.Inbox, func(y model.Inboxed) bool { return y.ID == x.ID }) {
						out.Unread = append(out.Unread, x)
					}
					return len(out.Unread) < limit
				})
				_, hidden, n := model.SnoozedEntries(r, e.now(), limit)
				if out.Hidden = n; snoozed {
					out.Snoozed = hidden
				}
				return out, nil
			})
		},
	}
}

func (p *page) inbox(x inboxOf) {
	if len(x.Inbox) == 0 {
		p.line("nothing needs you")
	}
	for _, x := range slices.Concat(x.Inbox, x.Unread) {
		p.inboxed(x, "")
	}
	for _, x := range x.Snoozed {
		p.inboxed(x, model.Text(action.SnoozedWords(x.SnoozedUntil, p.now.Local())+": "))
	}
	if x.Hidden > len(x.Snoozed) {
		p.quiet("%d hidden; vise inbox --snoozed lists them", x.Hidden)
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
	p.say("%s  %s  %s %s  %s", name, x.AgentID, action.NeedWord(x), age, before+what)
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

// upNext is what why says of an agent beside its reasons: the candidates of the scheduler's next step.
type upNext struct {
	Revision uint64 `json:"revision"`
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

// whyAgent explains when an agent runs next, and what is next.
func whyAgent(e *Env, agent model.AgentID) (answer, error) {
	return readAnswer(e, (*page).whyAgent, func(r model.Reader) (agentReasons, error) {
		now := e.now()
		d := model.DeskOf(r, agent, model.Stamp{At: now}, model.Class.Limit)
		out := agentReasons{model.ExplainAgent(r, agent, now), model.PathOf(r, agent, now),
			upNext{Revision: d.Revision, Current: d.Current, Candidates: []class{}, NeedsOperator: d.NeedsYou}}
		e.doesNow(agent, out.Decision, &out.Lines[0].Label, &out.Lines[0].Text)
		for _, s := range d.Sections {
			if s.Total > 0 {
				out.Candidates = append(out.Candidates, class{s.Class, s.Total, s.Rows})
			}
		}
		return out, nil
	})
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

func retryVerb() verb {
	return verb{
		use: "retry AGENT|ID", short: "Try an agent, or a stalled work item, again now", items: model.FilterOpen,
		long: `retry offers an agent's work again: the agent rests no longer, and its stalled work items, or the one
ID, are no longer stalled. One turn begins as soon as a driver runs (vise drive, or vise serve --drive),
whatever the agent's limits are. vise why AGENT says what holds an agent back.`,
		example: "vise retry ann",
		keyed:   true,
		run: func(e *Env) (answer, error) {
			var c model.Retry
			known, err := isAgent(e, e.words[0])
			if known {
				c.AgentID = model.AgentID(e.words[0])
			} else if err == nil {
				c.WorkItemID, err = resolve(e, e.words[0])
			}
			if err != nil {
				return nil, err
			}
			in, err := send(e, "", c)
			if err != nil {
				return nil, err
			}
			return receiptAnswer(in, "%s: %s", in.AgentID, cmp.Or(e.says(in.AgentID, *in.Decision), decisionWords(*in.Decision))), nil
		},
	}
}

// message returns the words of a command line as one text. A single - reads standard input.
func message(e *Env, words []string) (model.Text, error) {
	if len(words) == 1 && words[0] == "-" {
		s, err := fileOrStdin(e, "text", "-")
		return model.Text(s), err
	}
	return model.Text(strings.Join(words, " ")), nil
}

func sayVerb() verb {
	c := model.Say{Priority: model.Normal}
	var item string
	return verb{
		use: "say AGENT [TEXT]…", short: "Say something to an agent",
		long: `say queues a message for an agent. A message never becomes a work item by itself. A
running turn that vise drives hears it if the program takes words meanwhile (Claude Code, Codex, OpenCode). Else it waits
until the turn has ended, unless you send it with --priority interject. A TEXT of - is
standard input.`,
		example: "vise say ann 'leave the Redis script as it is'",
		args:    to(&c.AgentID), keyed: true,
		flags: flags{
			{"priority", &c.Priority, "interject, next, normal or background"},
			{"item", &item, "the work item that it is about"},
		},
		run: func(e *Env) (_ answer, err error) {
			args := e.words
			if known, err := isAgent(e, args[0]); err != nil || !known || len(args) == 1 {
				return nil, cmp.Or(err, sayToWhom(e, args, known))
			}
			if c.Text, err = message(e, args[1:]); err == nil && item != "" {
				c.WorkItemID, err = resolve(e, item)
			}
			if err != nil {
				return nil, err
			}
			in, err := send(e, "", c)
			return receiptAnswer(in, "queued for %s", c.AgentID), err
		},
	}
}

// sayToWhom is the error of words without an agent, or of an agent without words.
func sayToWhom(e *Env, args []string, known bool) error {
	if known {
		return misuse("text", "TEXT is missing").WithHint("vise say %s TEXT", args[0])
	}
	agent, err := ownAgent(e)
	if err != nil {
		agent = "AGENT"
	}
	return notFound("there is no agent %s; the agent comes before the words", args[0]).At("agent_id",
		"do you mean vise say %s %s? vise agents lists the agents", agent, model.ShellLine([]string{strings.Join(args, " ")}))
}

func answerVerb() verb {
	var ready bool
	var seen uint64
	return verb{
		use: "answer WAIT|ID|AGENT TEXT…", short: "Answer a question of a work item, or of an agent itself",
		long: `answer replies to a question. Name the work item, the agent, or the WAIT that vise show names. The
answer is news for the item, is kept with the item, and is handed to the agent, which decides what to do.
If the question replaced another one that nobody had answered, only its WAIT will do. An AGENT will not do
if one of its work items asks too. A TEXT of - is standard input.`,
		example:  "vise answer wi-7f3k LRU",
		revision: &seen,
		flags:    flags{{"plan-ready", &ready, "set a plan that needs input to ready"}},
		run: func(e *Env) (answer, error) {
			c, err := asked(e, e.words[0])
			if err == nil {
				c.Text, err = message(e, e.words[1:])
			}
			if err != nil {
				return nil, err
			}
			c.PlanReady, c.SeenRevision = ready, seen
			in, before, err := replayed(e, "answer", e.words[0], c.Text, ready, seen)
			var names receiptNames
			switch {
			case err != nil:
			case before:
				err = read(e, func(r model.Reader) error { names = namesOf(r, in); return nil })
			default:
				names, in, err = carryOut(e, "", c, namesOf)
			}
			return receiptAnswer(in, "answered %s%s; %s will get it", cmp.Or(names.item, string(in.WaitID)),
				asking(in.Question), in.AgentID), err
		},
	}
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
