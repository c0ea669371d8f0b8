package cli

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store"
	"vise/store/home"
)

type updateOptions struct {
	mutation
	objective, planStatus, priority, todos string
	// given reports whether a flag was given, because an empty value is also a value.
	given func(flag string) bool
}

func updateVerb(e *Env) *cobra.Command {
	var o updateOptions
	c := &cobra.Command{
		Use: "update ID", Short: "Change the objective, the plan status or the checklist",
		Long: "update changes what is given and leaves the rest. --todos takes the whole checklist, as JSON\n" +
			`([{"text":"…","state":"pending"}]) or as Markdown (- [ ] pending, - [~] in progress, - [x] completed).`,
		Example:           "vise update wi-7f3k --plan-status ready\nvise update wi-7f3k --todos - < todos.md",
		ValidArgsFunction: items(e, model.FilterOpen),
	}
	o.register(c)
	f := c.Flags()
	f.StringVar(&o.objective, "objective", "", "what the work item is for")
	f.StringVar(&o.planStatus, "plan-status", "", "draft, ready or needs_input")
	f.StringVar(&o.priority, "priority", "", "its place in the agent's queue: high, normal or low")
	f.StringVar(&o.todos, "todos", "", "the whole checklist; - is standard input, @FILE a file")
	o.given = f.Changed
	return e.verb(c, func(_ context.Context, args []string) (answer, error) { return updateItem(e, args[0], o) })
}

func updateItem(e *Env, ref string, o updateOptions) (answer, error) {
	update, err := updateOf(e, o)
	if err != nil {
		return answer{}, err
	}
	return change(e, ref, o.mutation, "updated", update)
}

// updateOf reads the flags of update.
func updateOf(e *Env, o updateOptions) (model.UpdateWorkItem, error) {
	update := model.UpdateWorkItem{SeenRevision: o.ifRevision}
	if o.given("objective") {
		t := model.Text(o.objective)
		update.Objective = &t
	}
	if o.given("plan-status") {
		s := model.PlanStatus(o.planStatus)
		update.PlanStatus = &s
	}
	if o.given("priority") {
		p := model.ItemPriority(o.priority)
		update.Priority = &p
	}
	if o.given("todos") {
		source, err := content(e, "todos", o.todos)
		if err != nil {
			return update, err
		}
		todos, err := parseTodos(source)
		if err != nil {
			return update, err
		}
		update.TodoList = &todos
	}
	if update.Objective == nil && update.PlanStatus == nil && update.TodoList == nil && update.Priority == nil {
		return update, misuse("flags", "nothing to update").WithHint("give --objective, --plan-status, --priority or --todos")
	}
	return update, nil
}

// change applies an update to the item that ref names, and answers.
func change(e *Env, ref string, m mutation, did string, update model.UpdateWorkItem) (answer, error) {
	o, err := orderFor(e, ref, m, func(id model.ItemID) model.Command {
		update.WorkItemID = id
		return update
	})
	if err != nil {
		return answer{}, err
	}
	return itemAnswer(e, o, did)
}

// millis returns a duration in the unit of commands. It is nil if none was given.
func millis(d time.Duration) *int64 {
	if d == 0 {
		return nil
	}
	ms := d.Milliseconds()
	return &ms
}

type newOptions struct {
	mutation
	plan, planStatus, priority, from string
	todos                            []string
}

func newVerb(e *Env) *cobra.Command {
	var o newOptions
	c := &cobra.Command{
		Use: "new [OBJECTIVE]", Short: "Create a work item, and the home if there is none",
		Example: "vise new 'Split rate limiter' --todo 'Extract interface' --priority high\nvise new --from wi-7f3k",
	}
	o.keyed(c)
	f := c.Flags()
	f.StringVar(&o.plan, "plan", "", "the text that plan.md begins with; - is standard input, @FILE a file")
	f.StringVar(&o.planStatus, "plan-status", "", "draft (the default), ready or needs_input")
	f.StringVar(&o.priority, "priority", "", "its place in the agent's queue: high, normal (the default) or low")
	f.StringVar(&o.from, "from", "", "begin like this work item: its objective, plan, todos (all pending) and priority")
	f.StringArrayVar(&o.todos, "todo", nil, "a todo; can be given again")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		if len(args) == 0 && o.from == "" {
			return answer{}, misuse("objective", "say what the work item is for").WithHint("vise new 'OBJECTIVE', or vise new --from ID")
		}
		return newItem(e, strings.Join(args, ""), o)
	})
}

// begunLike fills the empty fields of c from the item that ref names. If no agent is named, the new item belongs to the same agent.
func begunLike(e *Env, ref string, c *model.CreateWorkItem) error {
	w, err := find(e, ref)
	if err != nil {
		return err
	}
	c.Objective, c.Priority = cmp.Or(c.Objective, w.Objective), cmp.Or(c.Priority, w.Priority)
	if c.Plan == "" {
		raw, _ := e.home.Files().ReadPlan(w.AgentID, w.ID)
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

func newItem(e *Env, objective string, o newOptions) (answer, error) {
	plan, err := content(e, "plan", o.plan)
	if err != nil {
		return answer{}, err
	}
	create := model.CreateWorkItem{Objective: model.Text(objective), PlanStatus: model.PlanStatus(o.planStatus), Plan: model.Text(plan),
		Priority: model.ItemPriority(o.priority)}
	for _, t := range o.todos {
		create.TodoList = append(create.TodoList, model.Todo{Text: model.Text(t), State: model.TodoPending})
	}
	if o.from != "" {
		if err := begunLike(e, o.from, &create); err != nil {
			return answer{}, err
		}
	}
	if err := checkFirst(e, create); err != nil {
		return answer{}, err
	}
	agent, err := agentOfNew(e)
	if err != nil {
		return answer{}, err
	}
	return itemAnswer(e, order{mutation: o.mutation, agent: agent, command: create}, "created")
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
		_, err = send(e, mutation{}, "", model.AddAgent{AgentID: agent})
	}
	return agent, err
}

func pickVerb(e *Env) *cobra.Command {
	var m mutation
	c := &cobra.Command{
		Use: "pick ID", Short: "Make a work item the agent's focus",
		Example: "vise pick wi-7f3k --reason 'the release waits for it'",
		Long: "pick makes an open work item the agent's focus. Leaving runnable work asks for a reason.\n" +
			"You can pick a blocked item to look at it: its blocker stays, unless you give --clear-blocker.",
		ValidArgsFunction: items(e, model.FilterOpen),
	}
	m.register(c)
	reason := c.Flags().String("reason", "", "why the focus moves")
	clearBlocker := c.Flags().Bool("clear-blocker", false, "the blocker is gone, and so are its waits; needs --reason")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		o, err := orderFor(e, args[0], m, func(id model.ItemID) model.Command {
			return model.PickWorkItem{WorkItemID: id, Reason: model.Text(*reason), ClearBlocker: *clearBlocker, SeenRevision: m.ifRevision}
		})
		if err != nil {
			return answer{}, err
		}
		return changeAnswer(e, o, (*page).picked, home.PickResultOf)
	})
}

func (p *page) picked(out home.PickResult) {
	did := "picked"
	if t := out.Transition; t != nil && t.PreviousWorkItemID == t.CurrentWorkItemID && !t.BlockerCleared {
		did = "already current:"
	}
	p.changed(did, out.Current)
	if t := out.Transition; t != nil && t.FocusMode == model.FocusInspection {
		p.line("for inspection: it is not runnable, and its blocker stays")
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

func unblockVerb(e *Env) *cobra.Command {
	var m mutation
	c := &cobra.Command{
		Use: "unblock ID|WAIT", Short: "Clear the blocker and what the work item waits for", ValidArgsFunction: items(e, model.FilterOpen),
		Example: "vise unblock wi-7f3k",
		Long: "unblock clears the blocker of a work item and cancels its waits. With a WAIT, whose id vise show and\n" +
			"vise inbox tell, it does so for the item that waits, or cancels the wait of an agent itself.",
	}
	m.register(c)
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		if strings.HasPrefix(args[0], waitPrefix) {
			in, err := send(e, m, "", model.CancelWait{WaitID: model.WaitID(args[0]), SeenRevision: m.ifRevision})
			return receiptAnswer(in, "cancelled %s of %s", model.Text(args[0]), model.Text(in.AgentID)), err
		}
		return change(e, args[0], m, "unblocked", model.UpdateWorkItem{BlockedBy: model.Clear(), SeenRevision: m.ifRevision})
	})
}
