package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"vise/model"
	"vise/store"
)

// Life makes random commands about what its earlier ones made; most of them are accepted. The same seed makes the same
// life.
type Life struct {
	rng   *rand.Rand
	clock time.Time
	keys  int
	// Name begins every idempotency key.
	Name        string
	Agents      []model.AgentID
	Items       []model.ItemID
	waits       []model.WaitID
	tasks       []model.TaskID
	delegations []model.DelegationID
}

// NewLife begins a life with a few agents.
func NewLife(seed uint64) *Life {
	return &Life{
		rng: rand.New(rand.NewPCG(seed, seed)), clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Name: fmt.Sprintf("life-%d", seed), Agents: []model.AgentID{"ada", "bob", "cy"},
	}
}

// Attach sets a ledger's clock and ids to those of this life.
func (x *Life) Attach(l *store.Ledger) {
	ids := rand.New(rand.NewPCG(x.rng.Uint64(), 7))
	l.Now = func() time.Time {
		x.clock = x.clock.Add(time.Duration(1+x.rng.IntN(5000)) * time.Millisecond)
		return x.clock
	}
	l.NewID = func() string { return fmt.Sprintf("%08x%016x", x.clock.Unix(), ids.Uint64()) }
}

// Next returns the next command. Most are by the agent concerned, some by the operator.
func (x *Life) Next() model.Envelope {
	x.keys++
	agent := pick(x, x.Agents)
	e := model.Envelope{Key: fmt.Sprintf("%s-%d", x.Name, x.keys), Agent: agent, Actor: model.AgentActor(agent)}
	if x.rng.IntN(4) == 0 {
		e.Agent, e.Actor = "", model.Operator
	}
	e.Command = x.command()
	if e.Agent == "" {
		e.Agent = agentFor(e.Command, agent)
	}
	return e
}

// agentFor names an agent for the operator's commands that name no item.
func agentFor(c model.Command, agent model.AgentID) model.AgentID {
	switch c := c.(type) {
	case model.CreateWorkItem:
		return agent
	case model.StartTask:
		if c.WorkItemID == "" {
			return agent
		}
	case model.WaitFor:
		if c.WorkItemID == "" {
			return agent
		}
	}
	return ""
}

func (x *Life) command() model.Command {
	if len(x.Items) < 3 || x.chance(25) {
		return model.CreateWorkItem{Objective: x.text("objective"), Plan: model.Text(x.maybe("# plan\n")), TodoList: x.todos()}
	}
	id := pick(x, x.Items)
	switch n := x.rng.IntN(100); {
	case n < 20:
		return x.update(id)
	case n < 35:
		return model.PickWorkItem{WorkItemID: id, Reason: x.text("reason"), ClearBlocker: x.chance(30)}
	case n < 50:
		return x.wait(id)
	case n < 62:
		return x.trigger(id)
	case n < 74:
		return model.Round{Text: model.Text(x.maybe(string(x.text("report")))), WorkItemID: id, Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: id}}}}
	case n < 80:
		return model.RefreshPlan{WorkItemID: id, Plan: model.NewPlanArtifact("ada", id, []byte(x.text("plan")), x.clock)}
	case n < 81:
		return model.RefreshTodos{WorkItemID: id, Rows: []model.TodoRow{{Text: linkedRow, State: model.TodoCompleted}}}
	case n < 86:
		return model.StartTask{WorkItemID: model.ItemID(x.maybe(string(id))), Summary: x.text("task"), Blocking: x.chance(60)}
	case n < 91 && len(x.tasks) > 0:
		return model.EndTask{TaskID: pick(x, x.tasks), Status: model.TaskCompleted, Result: x.text("result")}
	case n < 95:
		return model.OpenDelegation{WorkItemID: id, ChildWorkItemID: pick(x, x.Items), Blocking: x.chance(30)}
	case n < 96:
		on := x.chance(50)
		return model.UpdateAgent{AgentID: pick(x, x.Agents), AutoPick: &on}
	case n < 97:
		return model.OfferReport{WorkItemIDs: []model.ItemID{id}, Text: x.text("perhaps the report"), Provenance: model.ReportNearRound}
	case n < 98:
		return pick(x, []model.Command{model.DeclineReport{WorkItemID: id}, model.Answer{WorkItemID: id, Text: x.text("answer")}})
	case n < 99 && x.chance(50):
		return model.Snooze{WorkItemID: id, Withdraw: x.chance(20), Until: pick(x, []time.Time{{}, x.clock.Add(time.Hour)})}
	case n < 99:
		return model.Acknowledge{WorkItemID: id, Withdraw: x.chance(20)}
	}
	return model.ReportWorkItem{WorkItemID: id, Text: x.text("late report")}
}

func (x *Life) update(id model.ItemID) model.Command {
	u := model.UpdateWorkItem{WorkItemID: id}
	switch x.rng.IntN(4) {
	case 0:
		t := x.text("new objective")
		u.Objective = &t
	case 1:
		p := pick(x, []model.PlanStatus{model.Draft, model.Ready, model.NeedsInput})
		u.PlanStatus = &p
	case 2:
		todos := x.todos()
		u.TodoList = &todos
	default:
		u.BlockedBy = pick(x, []model.Clearable{model.Clear(), model.SetTo(x.text("blocker"))})
	}
	return u
}

func (x *Life) wait(id model.ItemID) model.Command {
	w := model.WaitFor{Reason: x.text("waiting"), WorkItemID: model.ItemID(x.maybe(string(id)))}
	switch n := x.rng.IntN(5); {
	case n == 0 && len(x.tasks) > 0:
		w.Wake, w.Resource = model.WakeTaskResult, model.Text(pick(x, x.tasks))
	case n == 1 && len(x.delegations) > 0:
		w.Wake, w.Resource = model.WakeTaskResult, model.Text(pick(x, x.delegations))
	case n == 2:
		w.Wake, w.WakeAt = model.WakeTimer, x.clock.Add(time.Hour)
	case n == 3:
		w.Wake, w.Question = model.WakeOperatorInput, "which one?"
	default:
		w.Wake, w.Resource = model.WakeExternal, pick(x, []model.Text{"ci/1", "ci/2", "review"})
	}
	return w
}

func (x *Life) trigger(id model.ItemID) model.Command {
	switch {
	case len(x.waits) > 0 && x.chance(50):
		return model.Trigger{WaitID: pick(x, x.waits), Payload: x.text("payload")}
	case x.chance(50):
		return model.Trigger{WorkItemID: id}
	}
	return model.Trigger{Wake: model.WakeExternal, Resource: pick(x, []model.Text{"ci/1", "ci/2", "review"})}
}

func (x *Life) todos() []model.Todo {
	list := make([]model.Todo, x.rng.IntN(4))
	for i := range list {
		list[i] = model.Todo{Text: x.text("todo"), State: pick(x, []model.TodoState{model.TodoPending, model.TodoInProgress, model.TodoCompleted})}
	}
	if len(list) > 0 && x.chance(50) {
		list[0].Text = linkedRow
	}
	return list
}

// linkedRow is a row that names a file todo.
const linkedRow model.Text = "review/001: quote the name"

// Learn records what a command made.
func (x *Life) Learn(r model.Receipt) {
	if r.Command == "CreateWorkItem" && r.WorkItemID != "" {
		x.Items = append(x.Items, r.WorkItemID)
	}
	if r.WaitID != "" {
		x.waits = append(x.waits, r.WaitID)
	}
	if r.TaskID != "" {
		x.tasks = append(x.tasks, r.TaskID)
	}
	if r.DelegationID != "" {
		x.delegations = append(x.delegations, r.DelegationID)
	}
}

// Live applies n commands and returns how many were accepted. Only refusals by the rules are expected.
func (x *Life) Live(t testing.TB, l *store.Ledger, n int) (accepted int) {
	t.Helper()
	for range n {
		e := x.Next()
		r, err := l.Apply(ctx, e)
		var refusal *model.Error
		switch {
		case err == nil:
			accepted++
			x.Learn(r)
		case !errors.As(err, &refusal) || !ruleCodes[refusal.Code]:
			t.Fatalf("%s %+v: %v", model.CommandName(e.Command), e.Command, err)
		}
	}
	return accepted
}

var ruleCodes = map[model.Code]bool{
	model.CodeInvalid: true, model.CodeNotFound: true, model.CodeNotOwner: true, model.CodeCompleted: true,
	model.CodeUnfinishedExecution: true, model.CodeUnverified: true, model.CodeStale: true, model.CodeRefused: true,
}

func pick[T any](x *Life, list []T) T { return list[x.rng.IntN(len(list))] }

func (x *Life) chance(percent int) bool { return x.rng.IntN(100) < percent }

func (x *Life) maybe(s string) string {
	if x.chance(70) {
		return s
	}
	return ""
}

func (x *Life) text(what string) model.Text {
	return model.Text(fmt.Sprintf("%s %d: <b>ünïcode</b> & \x1b[2J", what, x.rng.IntN(1000)))
}
