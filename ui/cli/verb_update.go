package cli

import (
	"cmp"
	"strings"

	"vise/model"
	"vise/store"
	"vise/store/home"
)

func updateVerb() verb {
	var c model.UpdateWorkItem
	var todos *string
	return verb{
		use: "update ID", short: "Change the objective, the plan status or the checklist", items: model.FilterOpen,
		long: `update changes what is given and leaves the rest. --todos takes the whole checklist, as JSON
([{"text":"…","state":"pending"}]) or as Markdown (- [ ] pending, - [~] in progress, - [x] completed).`,
		example: `vise update wi-7f3k --plan-status ready
vise update wi-7f3k --todos - < todos.md`,
		revision: &c.SeenRevision,
		flags: flags{
			{"objective", &c.Objective, "what the work item is for"},
			{"plan-status", &c.PlanStatus, "draft, ready or needs_input"},
			{"priority", &c.Priority, "its place in the agent's queue: high, normal or low"},
			{"todos", &todos, "the whole checklist; - is standard input, @FILE a file"},
		},
		run: func(e *Env) (answer, error) {
			if todos != nil {
				source, err := content(e, "todos", *todos)
				if err != nil {
					return nil, err
				}
				list, err := parseTodos(source)
				if err != nil {
					return nil, err
				}
				c.TodoList = &list
			}
			if c.Objective == nil && c.PlanStatus == nil && c.TodoList == nil && c.Priority == nil {
				return nil, misuse("flags", "nothing to update").WithHint("give --objective, --plan-status, --priority or --todos")
			}
			return change(e, e.words[0], "updated", c)
		},
	}
}

// change applies an update to the item that ref names, and answers.
func change(e *Env, ref, did string, c model.UpdateWorkItem) (_ answer, err error) {
	if c.WorkItemID, err = resolve(e, ref); err != nil {
		return nil, err
	}
	return itemAnswer(e, e.agent, c, did)
}

func newVerb() verb {
	var c model.CreateWorkItem
	var plan, from string
	var todos []string
	return verb{
		use: "new [OBJECTIVE]", short: "Create a work item, and the home if there is none",
		example: `vise new 'Split rate limiter' --todo 'Extract interface' --priority high
vise new --from wi-7f3k`,
		args: to(&c.Objective), keyed: true,
		flags: flags{
			{"plan", &plan, "the text that plan.md begins with; - is standard input, @FILE a file"},
			{"plan-status", &c.PlanStatus, "draft (the default), ready or needs_input"},
			{"priority", &c.Priority, "its place in the agent's queue: high, normal (the default) or low"},
			{"from", &from, "begin like this work item: its objective, plan, todos (all pending) and priority"},
			{"todo", &todos, "a todo; can be given again"},
		},
		run: func(e *Env) (answer, error) {
			if len(e.words) == 0 && from == "" {
				return nil, misuse("objective", "say what the work item is for").
					WithHint("vise new 'OBJECTIVE', or vise new --from ID")
			}
			text, err := content(e, "plan", plan)
			if err != nil {
				return nil, err
			}
			c.Plan = model.Text(text)
			for _, t := range todos {
				c.TodoList = append(c.TodoList, model.Todo{Text: model.Text(t), State: model.TodoPending})
			}
			if from != "" {
				err = begunLike(e, from, &c)
			}
			if err = cmp.Or(err, checkFirst(e, c)); err != nil {
				return nil, err
			}
			agent, err := agentOfNew(e)
			if err != nil {
				return nil, err
			}
			return itemAnswer(e, agent, c, "created")
		},
	}
}

// begunLike fills the empty fields of c from the item that ref names. If no agent is named, the new item belongs to the same agent.
func begunLike(e *Env, ref string, c *model.CreateWorkItem) error {
	w, err := find(e, ref)
	if err != nil {
		return err
	}
	c.Objective, c.Priority = cmp.Or(c.Objective, w.Objective), cmp.Or(c.Priority, w.Priority)
	if c.Plan == "" {
		raw, _, err := e.home.Files().ReadFile(w.AgentID, w.ID, "")
		if err != nil {
			return refuse("the plan of %s cannot be read: %v", w.Handle, err).At("from", "give the new work item's plan: --plan")
		}
		c.Plan = model.Text(raw)
	}
	if len(c.TodoList) == 0 {
		for _, t := range w.TodoList {
			c.TodoList = append(c.TodoList, model.Todo{Text: t.Text, State: model.TodoPending})
		}
	}
	e.agent = cmp.Or(e.agent, w.AgentID)
	return nil
}

// checkFirst checks a first work item before a home is made for it: a refusal must not leave a home behind.
func checkFirst(e *Env, c model.CreateWorkItem) error {
	if _, err := open(e); !home.NoHome(err) {
		return err
	}
	agent, err := agentOf(e, store.Empty())
	if err != nil {
		return err
	}
	_, err = model.Step(store.Empty(), model.Stamp{At: e.now(), NewID: "judged", Actor: e.actor, Agent: agent}, c)
	return err
}

// agentOfNew returns the agent of a new item. If it makes a home, the home has that agent from the start.
func agentOfNew(e *Env) (model.AgentID, error) {
	_, created, err := openOrCreate(e)
	if err != nil {
		return "", err
	}
	agent := e.agent
	if agent == "" {
		agent, err = ownAgent(e)
	}
	if err == nil && created {
		_, err = sendAlso(e, "", model.AddAgent{AgentID: agent})
	}
	return agent, err
}

func pickVerb() verb {
	var c model.PickWorkItem
	return verb{
		use: "pick ID", short: "Make a work item the agent's focus", items: model.FilterOpen,
		long: `pick makes an open work item the agent's focus. Leaving work that can go on asks for a reason.
You can pick a blocked item to look at it: its blocker stays, unless you give --clear-blocker.`,
		example: "vise pick wi-7f3k --reason 'the release waits for it'",
		args:    to(&c.WorkItemID), revision: &c.SeenRevision,
		flags: flags{
			{"reason", &c.Reason, "why the focus moves"},
			{"clear-blocker", &c.ClearBlocker, "the blocker is gone, and so are its waits; needs --reason"},
		},
		run: func(e *Env) (answer, error) {
			return changeAnswer(e, e.agent, c, home.PickResultOf, picked)
		},
	}
}

func picked(p *page, _ model.Receipt, out home.PickResult) {
	did := "picked"
	if t := out.Transition; t != nil && t.PreviousWorkItemID == t.CurrentWorkItemID && !t.BlockerCleared {
		did = "already picked:"
	}
	p.changed(did, out.Current)
	if t := out.Transition; t != nil && t.FocusMode == model.FocusInspection {
		p.line("for inspection: it cannot go on, and its blocker stays")
	}
	if out.Previous != nil {
		p.changed("left", *out.Previous)
	}
}

func blockVerb() verb {
	var c model.UpdateWorkItem
	return verb{
		use: "block ID TEXT", short: "Block a work item and record the reason", items: model.FilterOpen,
		example: "vise block wi-7f3k 'ops must rotate the key' --recheck 1d",
		args:    to(&c.WorkItemID, &c.BlockedBy), revision: &c.SeenRevision,
		flags: flags{{"recheck", &c.RecheckAfterMS, "look again after this time (default 1h)"}},
		run:   changes(&c, "blocked"),
	}
}

func unblockVerb() verb {
	c := model.UpdateWorkItem{BlockedBy: model.Clear()}
	return verb{
		use: "unblock ID|WAIT", short: "Clear the blocker and what the work item waits for", items: model.FilterOpen,
		long: `unblock clears the blocker of a work item and cancels its waits. With a WAIT, whose id vise show and
vise inbox tell, it does so for the item that waits, or cancels the wait of an agent itself.`,
		example:  "vise unblock wi-7f3k",
		revision: &c.SeenRevision,
		run: func(e *Env) (answer, error) {
			args := e.words
			if strings.HasPrefix(args[0], waitPrefix) {
				in, err := send(e, "", model.CancelWait{WaitID: model.WaitID(args[0]), SeenRevision: c.SeenRevision})
				return receiptAnswer(in, "cancelled %s of %s", args[0], in.AgentID), err
			}
			return change(e, args[0], "unblocked", c)
		},
	}
}

// delegations is the data of delegate list.
type delegations struct {
	Delegations []delegationRow `json:"delegations"`
}

// delegationRow is a delegation with the handles of its items.
type delegationRow struct {
	model.Delegation
	ParentHandle model.Handle `json:"parent_handle"`
	ChildHandle  model.Handle `json:"child_handle"`
}

// maxDelegations is the most delegations of an agent that are listed.
const maxDelegations = 1000

func delegateListVerb() verb {
	return verb{
		use: "list", short: "List the open delegations of the agent, or of all agents",
		example: "vise delegate list",
		run: func(e *Env) (answer, error) {
			return readAnswer(e, (*page).delegations, func(r model.Reader) (delegations, error) {
				out := delegations{[]delegationRow{}}
				agents, _ := agentsOf(e, r) // an unknown one has none
				for _, id := range agents {
					for _, d := range r.OpenDelegations(id, maxDelegations) {
						parent, _ := r.Item(d.ParentWorkItemID)
						child, _ := r.Item(d.ChildWorkItemID)
						out.Delegations = append(out.Delegations, delegationRow{d, parent.Handle, child.Handle})
					}
				}
				return out, nil
			})
		},
	}
}

func (p *page) delegations(d delegations) {
	if len(d.Delegations) == 0 {
		p.line("no delegation is open; vise delegate ID --to AGENT opens one")
	}
	for _, x := range d.Delegations {
		more := ""
		if x.Blocking {
			more = ", blocking"
		}
		if x.Label != "" {
			more += ": " + x.Label.String()
		}
		p.line("%s  %s of %s serves %s of %s%s", p.strong(string(x.ID)), cmp.Or(string(x.ChildHandle), "no item yet"), x.ChildAgentID,
			x.ParentHandle, x.ParentAgentID, more)
	}
}

func delegateVerb() verb {
	var c model.OpenDelegation
	var child string
	return verb{
		use: "delegate ID [OBJECTIVE…] (--to AGENT | --child ID)", short: "Have another agent's work item serve this one",
		long: `delegate has another agent's work item serve this one: a new item for --to, or an existing one
(--child). Its completion closes the delegation and is news for what waits for it. A delegation blocks
nothing by itself. With --blocking this work item cannot be completed before it.`,
		example: "vise delegate wi-7f3k 'Write the contract tests' --to ben",
		args:    to(&c.WorkItemID, &c.Objective), keyed: true,
		flags: flags{
			{"to", &c.To, "the agent that a new work item is made for"},
			{"child", &child, "an existing work item"},
			{"blocking", &c.Blocking, "refuse this work item's completion while the delegation is open"},
		},
		oneOf: "to child",
		verbs: []verb{delegateListVerb(), delegateCancelVerb()},
		run: func(e *Env) (_ answer, err error) {
			if child != "" && len(e.words) > 1 {
				return nil, misuse("objective", "the child has its objective").WithHint("leave the words out, or use --to")
			}
			if child != "" {
				if c.ChildWorkItemID, err = resolve(e, child); err != nil {
					return nil, err
				}
			}
			names, in, err := carryOut(e, "", c, namesOf)
			return receiptAnswer(in, "delegation %s: %s serves %s", in.DelegationID, names.child, names.item), err
		},
	}
}

func delegateCancelVerb() verb {
	var c model.CancelDelegation
	return verb{
		use: "cancel DELEGATION [REASON]", short: "End a delegation, which is news for what waits for it",
		long:    "The other agent's work item stays as it is.",
		example: "vise delegate cancel dg-7f3k 'done by hand'",
		args:    to(&c.DelegationID, &c.Reason), keyed: true,
		run: func(e *Env) (answer, error) {
			names, in, err := carryOut(e, "", c, namesOf)
			if in.Unchanged {
				return receiptAnswer(in, "delegation %s had ended before", in.DelegationID), err
			}
			return receiptAnswer(in, "delegation %s cancelled; %s stays as it is", in.DelegationID,
				cmp.Or(names.child, "what the agent does")), err
		},
	}
}
