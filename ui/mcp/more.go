package mcp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
)

// reportTool is for agents whose text no hook brings.
const reportTool = "ReportWorkItem"

// offeredTools returns the tools of this server: the seven, reportTool (which lists may hide), and the rest if All is set.
func (s *server) offeredTools() []tool {
	return slices.DeleteFunc(slices.Clone(tools()), func(t tool) bool { return t.isMore && !s.All })
}

// ToolNames lists the tools that a server may offer: all of them, or the default ones.
func ToolNames(all bool) (names []string) {
	s := server{Options: Options{All: all}}
	for _, t := range s.offeredTools() {
		names = append(names, t.Name)
	}
	return names
}

// wordless reports that no hook of the agent's program was ever seen, so no hook will bring its text.
func (s *server) wordless(agent model.AgentID) bool { return s.HooksSeen != nil && !s.HooksSeen(agent) }

// complete completes an item, and warns if nothing will bring its report.
func complete(ctx context.Context, c *call) (any, error) {
	out, err := completing(ctx, c)
	if done, ok := out.(*home.CompletionResult); ok && err == nil && c.unreported {
		done.Warnings = append(done.Warnings, model.Warning{Kind: model.WarnMissingReport,
			Message: "completed without a report: no hook of your program brings your words here"})
		c.tool.next = reportTool + " gives the item its report: what was done, how it was checked, what is left"
	}
	return out, err
}

// delegated is the answer of OpenDelegation and SpawnAgent.
type delegated struct {
	DelegationID model.DelegationID `json:"delegation_id,omitempty"`
	To           model.AgentID      `json:"to"`
	ChildID      model.ItemID       `json:"child_work_item_id,omitempty"`
	WorkItem     model.View         `json:"work_item,omitzero"`
	Warnings     []model.Warning    `json:"warnings,omitempty"`
	Replayed     bool               `json:"replayed,omitempty"`
}

// notified is the answer of NotifyOperator.
type notified struct {
	Notified   bool         `json:"notified"`
	WorkItemID model.ItemID `json:"work_item_id,omitempty"`
	Replayed   bool         `json:"replayed,omitempty"`
}

var (
	report = actOf[model.ReportWorkItem](home.CompletionResultOf)
	notify = actOf[model.NotifyOperator](func(_ model.Reader, in model.Receipt) notified {
		return notified{true, in.WorkItemID, in.Replayed}
	})
	delegate = act(func(_ *call, r model.Reader, x model.OpenDelegation, in model.Receipt) delegated {
		return delegated{in.DelegationID, x.To, in.ChildWorkItemID, home.ViewOf(r, x.WorkItemID), in.Warnings, in.Replayed}
	})
	spawning = actOf[model.SpawnAgent](func(r model.Reader, in model.Receipt) delegated {
		out := delegated{To: in.AgentID, Warnings: in.Warnings, Replayed: in.Replayed}
		if d, ok := r.Delegation(in.DelegationID); ok {
			out.DelegationID, out.WorkItem = d.ID, home.ViewOf(r, d.ParentWorkItemID)
		}
		return out
	})
)

// spawn makes an agent. If its template is unknown, it names the agents.
func spawn(ctx context.Context, c *call) (any, error) {
	out, err := spawning(ctx, c)
	if made, ok := out.(*delegated); ok && made.DelegationID == "" {
		c.tool.next = "" // there is no result to wait for
	}
	var e *model.Error
	if errors.As(err, &e) && e.Field == "template" {
		_ = c.home.View(ctx, func(r model.Reader) error {
			names := []string{}
			for _, a := range r.Agents("", maxNames) {
				names = append(names, string(a.ID))
			}
			e.Hint = "the agents are " + strings.Join(names, ", ")
			return nil
		})
	}
	return out, err
}

// maxNames is how many agents a refusal names.
const maxNames = 20

// TaskRequest is a command that an agent wants to run.
type TaskRequest struct {
	Command    []string     `json:"command"`
	Dir        string       `json:"dir"`
	Summary    model.Text   `json:"summary"`
	WorkItemID model.ItemID `json:"work_item_id"`
	Blocking   bool         `json:"blocking"`
	// Agent is the agent that asks.
	Agent model.AgentID `json:"-"`
}

// startedTask is the answer of StartTask.
type startedTask struct {
	TaskID model.TaskID `json:"task_id"`
	// Replayed says that the key was known: the command was started before, not now.
	Replayed bool `json:"replayed,omitempty"`
}

// startTask starts the command under a supervisor process of its own. A repeated call gets the first answer again.
func startTask(ctx context.Context, c *call) (any, error) {
	var t TaskRequest
	if err := query(c, &t); err != nil {
		return nil, err
	}
	if len(t.Command) == 0 || strings.TrimSpace(t.Command[0]) == "" {
		return nil, model.Invalid("command names no program").At("command", "%s", c.tool.hint())
	}
	if err := checkTask(t); err != nil {
		return nil, err
	}
	if t.WorkItemID != "" {
		id, err := c.home.Resolve(ctx, string(t.WorkItemID))
		if err != nil {
			return nil, err
		}
		t.WorkItemID = id
	}
	t.Agent = c.agent
	return c.started.once(c.key, t, func() (model.TaskID, error) { return c.StartTask(ctx, t) })
}

// maxWord is the most bytes of a word of a command: the system passes no longer ones.
const maxWord = 128<<10 - 1

// checkTask checks what the system would refuse without naming it.
func checkTask(t TaskRequest) error {
	if t.Dir != "" {
		if at, err := os.Stat(t.Dir); !filepath.IsAbs(t.Dir) || err != nil || !at.IsDir() {
			return model.Invalid("dir %q is no absolute path of a directory", short(t.Dir)).At("dir",
				"leave it out for the server's directory")
		}
	}
	for i, word := range t.Command {
		if len(word) > maxWord || strings.Contains(word, "\x00") {
			return model.Invalid("command[%d] has %d bytes, at most %d are passed, none of them 0", i, len(word),
				maxWord).At("command", "put it in a script or a file")
		}
	}
	return nil
}

// kept is the answer of UpdateThread: where the work was left, and what the call changed.
type kept struct {
	Left     string         `json:"left"`
	Changed  []thread.Field `json:"changed_fields,omitempty"`
	Warnings []model.Text   `json:"warnings,omitempty"`
}

// keepThread changes the thread of the agent's current item, or only reads it. If there is none here, a goal begins one for the item.
func keepThread(ctx context.Context, c *call) (any, error) {
	patch, err := thread.ParsePatch(c.input)
	if err != nil {
		return nil, err
	}
	item, err := c.home.Focus(ctx, c.agent)
	if err != nil {
		return nil, err
	}
	by := c.home.Threads(model.AgentActor(c.agent))
	was := by.Left(ctx, item.Links)
	if string(c.input) == "{}" {
		return &kept{Left: was.Text()}, nil
	}
	var do thread.Command = thread.Update{Patch: patch}
	begins := false
	if card := was.Thread; card != nil && card.Thread != nil {
		do = thread.Update{Task: string(card.Thread.ID), Patch: patch}
	} else if begins = patch.Words["goal"] != ""; begins {
		do = thread.Start{Initial: patch}
	}
	r, done := by.At(ctx, "", "mcp")
	defer done()
	a, err := r.Apply(ctx, do)
	if err != nil {
		return nil, err
	}
	var said []model.Text
	for _, w := range a.Warnings() {
		said = append(said, cut(w, leastText))
	}
	if begins && item.ID != "" {
		link := model.LinkThread(item.ID, r.Root(), string(a.Thread.ID))
		if _, err := c.home.Apply(ctx, c.envelope("-link", link)); err != nil {
			said = append(said, model.Textf("the thread is not linked to %s: %v", item.Handle, err))
		}
		item.Links.Threads = append(item.Links.Threads, link.Add.Threads...)
	}
	return &kept{by.Left(ctx, item.Links).Text(), a.Changed, said}, nil
}

// startedTasks holds the tasks that a server started, by the keys of the calls.
type startedTasks struct {
	mu    sync.Mutex // guards tasks
	tasks map[string]startedBy
}

// startedBy is a started task with its request.
type startedBy struct {
	TaskRequest
	model.TaskID
}

func (s *startedTasks) once(key string, t TaskRequest, start func() (model.TaskID, error)) (*startedTask, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x, ok := s.tasks[key]; ok {
		if !reflect.DeepEqual(x.TaskRequest, t) {
			return nil, model.Invalid("this idempotency key has started another task, %s", x.TaskID).At("key",
				"a key is for one call and its repetitions; make a new one")
		}
		return &startedTask{x.TaskID, true}, nil
	}
	id, err := start()
	if err == nil {
		if s.tasks == nil {
			s.tasks = map[string]startedBy{}
		}
		s.tasks[key] = startedBy{t, id}
	}
	return &startedTask{TaskID: id}, err
}
