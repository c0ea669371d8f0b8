package home

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"vise/model"
)

// Apply sends one command to the ledger and does the work that surrounds it. A refusal changes nothing. Once the ledger has accepted the
// command, its receipt stays valid: a later step that fails becomes a warning in it.
func (h *Home) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	return h.applyThen(ctx, e, Ending{}, nil)
}

// Answer is Apply, and calls read with the command's receipt. read runs in the command's own transaction, so that it fails together with
// the command. It runs again when a later step has changed the ledger too. end says how the threads of completed items end. A result with a
// method complete gets the final receipt.
func Answer[T any](ctx context.Context, h *Home, e model.Envelope, end Ending, read func(model.Reader, model.Receipt) T) (out T,
	in model.Receipt, err error) {
	before := uint64(0)
	in, err = h.applyThen(ctx, e, end, func(r model.Reader, in model.Receipt) {
		before = h.sent.Load()
		_ = h.withPlans(r, func(r model.Reader) error {
			out = read(r, in)
			return nil
		})
	})
	if err != nil {
		return out, in, err
	}
	if h.sent.Load() != before {
		var now T
		err := h.View(ctx, func(r model.Reader) error {
			now = read(r, in)
			return nil
		})
		if err == nil {
			out = now
		} else {
			in.Warnings = append(slices.Clip(in.Warnings),
				failed(model.WarnAnswerOutdated, "saved; the rest of the answer could not be read", err))
		}
	}
	if x, ok := any(&out).(interface{ complete(model.Receipt) }); ok {
		x.complete(in)
	}
	return out, in, nil
}

func (h *Home) applyThen(ctx context.Context, e model.Envelope, end Ending, then func(model.Reader, model.Receipt)) (model.Receipt,
	error) {
	e.Key = h.unknown.key(e)
	by := model.Envelope{Actor: e.Actor, Agent: e.Agent}
	done, err := h.prepare(ctx, by, completionsOf(e.Command), end)
	if err != nil {
		return model.Receipt{}, err
	}
	defer done.close()
	var items []itemThreads
	var task *endedTask
	var updated model.WorkItem
	var picked []model.WorkItem
	worked := h.turnsItem(ctx, e.Command)
	in, err := h.sendThen(ctx, e, func(r model.Reader, in model.Receipt) {
		items, task, picked = threadsAfter(r, e.Command, in), taskAfter(r, e.Command), pickedItems(r, e.Command, in)
		if _, ok := e.Command.(model.UpdateWorkItem); ok {
			updated, _ = r.Item(in.WorkItemID)
		}
		if then != nil {
			then(r, in)
		}
	})
	h.unknown.note(e, err)
	if err != nil {
		return in, err
	}
	h.changed.Store(true)
	if in.Replayed {
		in = withReplay(in)
	}
	done.warn(model.WarnPlanNotRefreshed, planStays, h.refreshPlan(ctx, by, updated))
	in.Warnings = append(slices.Clip(in.Warnings), done.warnings...)
	for i, d := range done.todos {
		in.Warnings = append(in.Warnings, h.settleTodos(ctx, done.files, by, done.items[i], d)...)
	}
	dir := h.dirFor(cmp.Or(in.AgentID, e.Agent))
	h.noteBegan(ctx, model.Envelope{Actor: e.Actor}, dir, picked)
	h.noteWorked(ctx, worked)
	threads := h.threadsIn(dir, e.Actor)
	in.Warnings = append(in.Warnings, threads.follow(ctx, items, end)...)
	in.Warnings = append(in.Warnings, threads.taskEnded(ctx, task)...)
	in.Warnings = append(in.Warnings, h.taskChecked(ctx, by, task)...)
	in.Warnings = append(in.Warnings, h.takeQueue(ctx)...)
	return in, nil
}

// Replay returns the receipt of an earlier command with the key and the request of e, if there is one. If the key was used for something
// else, it refuses. It is for commands that are built from the ledger's contents: a retry would build a different command.
func (h *Home) Replay(ctx context.Context, e model.Envelope) (in model.Receipt, ok bool, err error) {
	if e.Key == "" {
		return in, false, nil
	}
	in, ok, err = h.Ledger.Answered(ctx, e)
	return withReplay(in), ok, err
}

func withReplay(in model.Receipt) model.Receipt {
	in.Warnings = append(slices.Clip(in.Warnings), model.Warning{Kind: model.WarnReplayed,
		Message: "its key was used before: the change was made then, and nothing now"})
	return in
}

// send applies a command that the home itself makes. by names the actor and the agent.
func (h *Home) send(ctx context.Context, by model.Envelope, c model.Command) (model.Receipt, error) {
	by.Key, by.Command = NewKey(), c
	return h.sendOwn(ctx, by)
}

// sendOwn is send for a command with a key.
func (h *Home) sendOwn(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	in, err := h.sendThen(ctx, e, nil)
	if err == nil {
		h.changed.Store(true)
		h.sent.Add(1)
	}
	return in, err
}

// busyLimit is how long sendThen retries a command that reports what has already happened.
const busyLimit = 20 * time.Second

// sendThen holds the one rule for commands that the ledger did not answer. The key of a command makes it happen once, however often it is
// sent. If the outcome is unknown, sendThen sends the command once more. If the ledger is busy, the command has already waited 5 s, the
// limit of the ledger's lock, so the caller gets the error and decides. Only a command that reports an event outside, which would be lost
// (the end of a task or of a turn, a turn's round), is sent again, for busyLimit.
func (h *Home) sendThen(ctx context.Context, e model.Envelope, then func(model.Reader, model.Receipt)) (model.Receipt, error) {
	in, err := h.ApplyThen(ctx, e, then)
	unknown := err
	if !isUnknown(err) {
		unknown = nil
	} else if ctx.Err() == nil {
		in, err = h.ApplyThen(ctx, e, then)
	}
	again := func() bool {
		return happened(e.Command) && ctx.Err() == nil && (isUnknown(err) || model.HasCode(err, model.CodeBusy))
	}
	for until := time.Now().Add(busyLimit); again() && time.Now().Before(until); {
		in, err = h.ApplyThen(ctx, e, then)
	}
	if unknown != nil && err != nil && !judged(err) {
		return in, unknown // a second try without an answer says nothing about the first
	}
	in.Replayed = in.Replayed && unknown == nil // a replay of its own first try is no replay for the caller
	return in, err
}

// judged reports whether the rules refused the command. Then the ledger was read, and it does not hold the key.
func judged(err error) bool {
	return RefusedForGood(err) ||
		model.HasCode(err, model.CodeStale, model.CodeUnfinishedExecution, model.CodeUnverified, model.CodeConflict)
}

func isUnknown(err error) bool { return model.HasCode(err, model.CodeUnknownOutcome) }

// unknownOutcomes holds the last commands whose outcome is unknown. A caller that repeats such a command gets the key of its first try, so
// that it happens once. External senders choose their own keys.
type unknownOutcomes struct {
	mu   sync.Mutex
	list []model.Envelope
}

// maxUnknown is how many commands are remembered.
const maxUnknown = 32

func (u *unknownOutcomes) key(e model.Envelope) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if i := u.find(e); i >= 0 {
		return u.list[i].Key
	}
	return e.Key
}

func (u *unknownOutcomes) find(e model.Envelope) int {
	return slices.IndexFunc(u.list, func(x model.Envelope) bool {
		return x.Actor == e.Actor && x.Agent == e.Agent && reflect.DeepEqual(x.Command, e.Command)
	})
}

// note remembers a command if its outcome is not known, and forgets it otherwise.
func (u *unknownOutcomes) note(e model.Envelope, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if i := u.find(e); i >= 0 {
		u.list = slices.Delete(u.list, i, i+1)
	}
	if isUnknown(err) && !e.Actor.IsExternal() {
		u.list = append(u.list[max(0, len(u.list)+1-maxUnknown):], e)
	}
}

// happened reports whether the command reports an event that cannot be reported again later.
func happened(c model.Command) bool {
	switch c := c.(type) {
	case model.EndTask, model.EndTurn:
		return true
	case model.Round:
		return c.Turn != 0
	}
	return false
}

// planStays is the consequence of a plan that could not be described, for the warning.
const planStays = "the plan file is described as it was"

// completions is what prepare learns before items are completed.
type completions struct {
	files    *todoFiles
	items    []model.WorkItem
	todos    []TodoDecisions
	warnings []model.Warning
}

func (c completions) close() {
	if c.files != nil {
		c.files.Close()
	}
}

// prepare does what must come before a completion. It describes the plan again, because a completed item keeps that description. It
// refreshes the rows of linked file todos. It checks the decisions on them, so that none is refused after the completion. It warns an agent
// about what the item's threads say against the completion, unless the agent gave a reason.
func (h *Home) prepare(ctx context.Context, by model.Envelope, calls []model.CompleteWorkItem, end Ending) (out completions, err error) {
	if len(calls) == 0 {
		return out, nil
	}
	out.files = NewTodoFiles()
	if err := h.Ledger.View(ctx, func(r model.Reader) error {
		out.items = nil
		for _, c := range calls {
			w, _ := r.Item(c.WorkItemID)
			out.items = append(out.items, w)
		}
		return nil
	}); err != nil {
		return out, err
	}
	for i, c := range calls {
		w := out.items[i]
		if c.SeenRevision == 0 { // a write before it would make the completion stale
			out.warn(model.WarnPlanNotRefreshed, planStays, h.refreshPlan(ctx, by, w))
		}
		out.warn(model.WarnTreeNotRefreshed, "whether files changed since checks is as it was", h.refreshTrees(ctx, by, w, inTree))
		out.warn(model.WarnTodosNotRefreshed, "the rows of linked todos are as they were", h.refreshTodos(ctx, out.files, by, w))
		if _, agent := by.Actor.Agent(); agent && w.State == model.Open && end == (Ending{}) {
			out.warnings = append(out.warnings, h.Threads(by.Actor).Unsettled(w.Links.Threads)...)
		}
		decided, err := h.DecideTodos(ctx, out.files, by.Actor, w, c.LinkedTodos)
		if err != nil {
			out.close()
			return out, err
		}
		out.todos = append(out.todos, decided)
	}
	return out, nil
}

func (c *completions) warn(kind model.WarningKind, what string, err error) {
	if err != nil {
		c.warnings = append(c.warnings, failed(kind, what, err))
	}
}

// failed warns of something that failed.
func failed(kind model.WarningKind, what string, err error) model.Warning {
	return model.Warning{Kind: kind, Message: what + ": " + messageOf(err)}
}

// completionsOf returns the completions in a command.
func completionsOf(c model.Command) (out []model.CompleteWorkItem) {
	switch c := c.(type) {
	case model.CompleteWorkItem:
		return []model.CompleteWorkItem{c}
	case model.Round:
		for _, call := range c.Calls {
			out = append(out, completionsOf(call.Command)...)
		}
	}
	return out
}
