package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"vise/model"
	"vise/store"
)

// frontend makes calls to the ledger. It can be killed after a time; then it reports false, and the same call with the
// same key tells the outcome.
type frontend interface {
	do(c call, key string, kill time.Duration) (answer, bool)
	close()
}

// reply has the fields of a tool's or a verb's answer that a history needs.
type reply struct {
	WorkItem   model.View        `json:"work_item"`
	Current    model.View        `json:"current_work_item"`
	Transition *model.Transition `json:"transition"`
	First      bool              `json:"completed_transition"`
	Triggered  []model.WaitID    `json:"triggered_wait_condition_ids"`
	Context    struct {
		CurrentID string `json:"current_work_item_id"`
	} `json:"context"`
	Error *model.Error `json:"error"`
}

func (x reply) answer(c call) (a answer, id string) {
	if x.Error != nil {
		return answer{code: string(x.Error.Code)}, ""
	}
	a = answer{first: x.First, reached: len(x.Triggered)}
	if x.Transition != nil {
		a.from = string(x.Transition.PreviousWorkItemID)
	}
	if c.kind == look {
		a.seen, a.focus = seenItem(x.WorkItem), x.Context.CurrentID
	}
	return a, string(x.WorkItem.ID)
}

func seenItem(v model.View) item {
	x := item{there: v.ID != "", done: v.State == model.Completed, objective: v.Objective.Raw(), blocked: v.BlockedBy.Raw(), needsInput: v.PlanStatus == model.NeedsInput}
	for _, w := range v.ActiveWaits {
		x.parked, x.triggers = true, w.TriggerCount
	}
	return x
}

// verbs is the command line, with one process for each call.
type verbs struct {
	*home
	made string
}

func (d *verbs) close() {}

func (d *verbs) do(c call, key string, kill time.Duration) (answer, bool) {
	end, cancel := context.WithCancel(ctx)
	defer cancel()
	if kill > 0 {
		defer time.AfterFunc(kill, cancel).Stop()
	}
	cmd := d.command(end, append([]string{"--json"}, argsOf(c, key)...)...)
	raw, err := cmd.Output()
	var exit *exec.ExitError
	neverStarted := errors.Is(err, context.Canceled) && cmd.Process == nil
	if errors.As(err, &exit) && exit.ExitCode() < 0 || neverStarted {
		return answer{}, false
	}
	var out struct {
		Data  reply        `json:"data"`
		Error *model.Error `json:"error"`
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		d.t.Errorf("%+v: no answer: %v", c, err)
	}
	out.Data.Error = out.Error
	a, id := out.Data.answer(c)
	d.made = id
	return a, true
}

func argsOf(c call, key string) []string {
	// The actor is the agent: it cannot complete what the operator blocked, and no answer tells who blocked it.
	args := []string{"--agent", c.agent, "--key", key, "--actor", "agent:" + c.agent}
	switch c.kind {
	case create:
		return append([]string{"new", c.text}, args...)
	case rename:
		return append([]string{"update", c.item, "--objective", c.text}, args...)
	case plan:
		return append([]string{"plan", "status", c.item, c.text}, args...)
	case block:
		return append([]string{"block", c.item, c.text}, args...)
	case unblock:
		return append([]string{"unblock", c.item}, args...)
	case park:
		return append([]string{"wait", c.item, "--external", "ci", "--reason", c.text, "--recheck", "2h"}, args...)
	case ring:
		return append([]string{"trigger", c.item}, args...)
	case pick:
		return append([]string{"pick", c.item, "--reason", key}, args...)
	case takeUp:
		return append([]string{"pick", c.item, "--reason", key, "--clear-blocker"}, args...)
	case finish:
		return append([]string{"complete", c.item}, args...)
	}
	return []string{"show", c.item, "--agent", c.agent}
}

// greeting is the first message of a client to a server.
const greeting = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":"fire","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// tools is an agent's server, one process for all its calls.
type tools struct {
	*home
	agent string
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	calls int
	made  string
}

func (d *tools) close() {
	if d.cmd == nil {
		return
	}
	d.in.Close()
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
	d.cmd = nil
}

func (d *tools) start() error {
	d.cmd = d.command(ctx, "mcp", "--agent", d.agent)
	var err error
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	d.out = bufio.NewReaderSize(out, 1<<20)
	if err := d.cmd.Start(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(d.in, greeting)
	if err == nil {
		_, err = d.out.ReadBytes('\n')
	}
	return err
}

func (d *tools) do(c call, key string, kill time.Duration) (answer, bool) {
	if d.cmd == nil {
		if err := d.start(); err != nil {
			d.t.Errorf("the server did not start: %v", err)
			d.close()
			return answer{}, false
		}
	}
	d.calls++
	name, args := toolOf(c, key)
	raw, _ := json.Marshal(args)
	fmt.Fprintf(d.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"vise/idempotency_key":%q}}}`+"\n", d.calls, name, raw, key)
	if kill > 0 {
		p := d.cmd.Process
		time.AfterFunc(kill, func() { _ = p.Kill() })
	}
	line, err := d.out.ReadBytes('\n')
	var out struct {
		Error  json.RawMessage `json:"error"`
		Result struct {
			Reply reply `json:"structuredContent"`
		} `json:"result"`
	}
	if err != nil || kill > 0 {
		_ = d.cmd.Wait()
		d.cmd = nil
	}
	if err != nil {
		return answer{}, false
	}
	if err := json.Unmarshal(line, &out); err != nil || len(out.Error) > 0 {
		d.t.Errorf("%+v: %v %s", c, err, line)
	}
	a, id := out.Result.Reply.answer(c)
	d.made = id
	return a, true
}

func toolOf(c call, key string) (string, map[string]any) {
	args := map[string]any{"work_item_id": c.item}
	switch c.kind {
	case create:
		return "CreateWorkItem", map[string]any{"objective": c.text}
	case rename:
		args["objective"] = c.text
	case plan:
		args["plan_status"] = c.text
	case block:
		args["blocked_by"] = c.text
	case unblock:
		args["blocked_by"] = nil
	case park:
		args["reason"], args["wake"], args["resource"] = c.text, "external", "ci"
		return "WaitFor", args
	case takeUp:
		args["clear_blocker"] = true
		fallthrough
	case pick:
		args["reason"] = key
		return "PickWorkItem", args
	case finish:
		return "CompleteWorkItem", args
	case look:
		return "GetWorkItem", args
	}
	return "UpdateWorkItem", args
}

// hand is a ledger in this process. Like another process, it has a handle of its own.
type hand struct {
	ledger *store.Ledger
	made   string
}

func (d *hand) close() { d.ledger.Close() }

func (d *hand) do(c call, key string, _ time.Duration) (answer, bool) {
	if c.kind == look {
		return d.look(c), true
	}
	r, err := d.ledger.Apply(ctx, model.Envelope{Key: key, Actor: model.Operator, Agent: model.AgentID(c.agent), Command: commandOf(c, key)})
	var e *model.Error
	if errors.As(err, &e) {
		return answer{code: string(e.Code)}, true
	}
	d.made = string(r.WorkItemID)
	a := answer{first: r.CompletedTransition, reached: len(r.TriggeredWaits)}
	if r.Transition != nil {
		a.from = string(r.Transition.PreviousWorkItemID)
	}
	return a, true
}

func (d *hand) look(c call) (a answer) {
	_ = d.ledger.View(ctx, func(r model.Reader) error {
		if w, ok := r.Item(model.ItemID(c.item)); ok {
			a.seen = seenItem(model.ViewOf(r, w))
		}
		if w, ok := model.Focus(r, model.AgentID(c.agent)); ok {
			a.focus = string(w.ID)
		}
		return nil
	})
	return a
}

func commandOf(c call, key string) model.Command {
	id, text := model.ItemID(c.item), model.Text(c.text)
	switch c.kind {
	case create:
		return model.CreateWorkItem{Objective: text}
	case rename:
		return model.UpdateWorkItem{WorkItemID: id, Objective: &text}
	case plan:
		s := model.PlanStatus(c.text)
		return model.UpdateWorkItem{WorkItemID: id, PlanStatus: &s}
	case block:
		return model.UpdateWorkItem{WorkItemID: id, BlockedBy: model.SetTo(text)}
	case unblock:
		return model.UpdateWorkItem{WorkItemID: id, BlockedBy: model.Clear()}
	case park:
		return model.WaitFor{WorkItemID: id, Reason: text, Wake: model.WakeExternal, Resource: "ci"}
	case ring:
		return model.Trigger{WorkItemID: id}
	case finish:
		return model.CompleteWorkItem{WorkItemID: id}
	}
	return model.PickWorkItem{WorkItemID: id, Reason: model.Text(key), ClearBlocker: c.kind == takeUp}
}
