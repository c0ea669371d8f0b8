package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"vise/model"
	"vise/ui/mcp"
	"vise/ui/runner"
)

func taskVerb() verb {
	return verb{
		use: "task", short: "Run commands that work items can wait for",
		verbs: []verb{taskRunVerb(), taskListVerb(), taskShowVerb(), taskStopVerb()},
	}
}

func taskRunVerb() verb {
	var s runner.TaskSpec
	var item string
	var detach, quiet, onlyStarted bool
	return verb{
		use: "run [--item ID] -- COMMAND…", short: "Run a command and record how it ends",
		long: `run starts a command without a shell and records it as a task, with the end of its output and how it
ended. The end is news for what waits for the task. With --detach run answers at once, and the command goes
on even when its caller has ended.`,
		example: "vise task run --item wi-7f3k -- go test ./...",
		flags: flags{
			{"item", &item, "the work item that it is for (default: the agent's own)"},
			{"summary", &s.Summary, "what it is, in words (default: the command)"},
			{"blocking", &s.Blocking, "refuse the work item's completion while it runs"},
			{"detach", &detach, "answer once it runs"},
			{"quiet", &quiet, "do not repeat what it writes"},
			{"tell-started", &onlyStarted, ""}, // for the process that --detach starts
			{"timeout", &s.Timeout, "end it after this long"},
		},
		run: func(e *Env) (answer, error) {
			if detach {
				return detached(e)
			}
			s.Argv, s.Dir, s.Actor = e.words, e.dir, e.actor
			switch {
			case onlyStarted:
				s.Started = func(id model.TaskID) {
					_ = json.NewEncoder(e.out).Encode(started{id}) // the reader can be gone
					signal.Ignore(syscall.SIGPIPE)                 // nothing reads the output any more
				}
			case !quiet:
				s.Echo = e.err
			}
			return supervise(e, s, item)
		},
	}
}

func supervise(e *Env, w runner.TaskSpec, item string) (answer, error) {
	s, err := supervisor(e)
	if err != nil {
		return nil, err
	}
	switch {
	case item != "":
		w.Item, err = resolve(e, item)
	case e.agent != "":
		w.Agent = e.agent
	default:
		w.Agent, err = readOne(e, onlyAgent)
	}
	if err != nil {
		return nil, err
	}
	d, err := s.Run(e, w)
	warnings := d.In.Warnings
	if err != nil && d.TaskID != "" { // the task ran: what is missing from the records is a warning
		warnings = append(warnings, model.Warning{Kind: model.WarnEndNotRecorded, Message: fault(err).Message})
		err = nil
	}
	return oneLine(d, "%s %s: %s", d.TaskID, d.Status, firstLine(d.Result)).warned(warnings).
		exits(failed(d.Status != model.TaskCompleted)), err
}

// onlyAgent returns the agent of a home that has only one.
func onlyAgent(r model.Reader) (model.AgentID, error) {
	if all := r.Agents("", 2); len(all) == 1 {
		return all[0].ID, nil
	}
	return "", misuse("agent", "nothing says whose task it is").WithHint("name a work item, or an agent: --item ID, --agent A")
}

func supervisor(e *Env) (runner.Supervisor, error) {
	h, err := open(e)
	if err != nil {
		return runner.Supervisor{}, err
	}
	return runner.Supervisor{Ledger: h, Home: h.Dir(), Now: e.now}, nil
}

// maxComplaint is the most that is read from a supervisor that did not start, in bytes.
const maxComplaint = 4096

// started is the output of a detached supervisor when its task runs.
type started struct {
	TaskID model.TaskID `json:"task_id"`
}

// startLimit is how long the process of a task may take to say that the task runs.
const startLimit = time.Minute

// startTask starts another process of this program, which runs the task that an agent requested.
func (e *Env) startTask(ctx context.Context, t mcp.TaskRequest) (model.TaskID, error) {
	dir, err := homeDir(e)
	if err != nil {
		return "", err
	}
	args := []string{"task", "run", "--detach", "--home", dir, "--agent", string(t.Agent),
		"--actor", string(model.AgentActor(t.Agent)), "--summary", t.Summary.Raw()} // raw: an argument
	if t.WorkItemID != "" {
		args = append(args, "--item", string(t.WorkItemID))
	}
	if t.Blocking {
		args = append(args, "--blocking")
	}
	var s started
	err = inChild(ctx, t.Dir, startLimit, &s, append(append(args, "--"), t.Command...)...)
	if errors.Is(err, errBrokeDown) {
		err = refuse("the task did not start").Because(err).WithHint("if the command is long, put it in a script or a file")
	}
	return s.TaskID, err
}

// detached starts this program again, as a supervisor in its own session.
func detached(e *Env) (answer, error) {
	args := []string{}
	for _, arg := range os.Args[1:] {
		if arg == "--" {
			break
		}
		if arg != "--detach" && arg != "--detach=true" && arg != "--json" {
			args = append(args, arg)
		}
	}
	args = append(args, "--tell-started", "--json", "--")
	args = append(args, e.called.Flags().Args()...)
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	err = runner.Detach(args, in, "VISE_ACTOR="+string(e.actor))
	in.Close()
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(io.LimitReader(out, maxComplaint))
	var s struct {
		started
		Error *model.Error `json:"error"`
	}
	var all []byte
	for s.TaskID == "" && lines.Scan() { // warnings can come before the answer
		all = append(append(all, lines.Bytes()...), '\n')
		if json.Unmarshal(lines.Bytes(), &s) == nil && s.Error != nil {
			return nil, s.Error
		}
	}
	if s.TaskID == "" {
		return nil, refuse("the task did not start: %s", all).
			WithHint("run it without --detach to see why")
	}
	return oneLine(s.started, "%s runs", s.TaskID), nil
}

func firstLine(t model.Text) model.Text {
	for _, line := range t.Lines() {
		return model.Text(line)
	}
	return ""
}

// shownTasks is the most tasks of one agent that are listed.
const shownTasks = 50

func taskListVerb() verb {
	return verb{
		use: "list", short: "List tasks: running ones, then the newest that ended",
		example: "vise task list",
		run: func(e *Env) (answer, error) {
			return readAnswer(e, (*page).tasks, func(r model.Reader) (taskList, error) {
				out := taskList{Tasks: []model.Task{}, handles: map[model.ItemID]model.Handle{}}
				agents, err := agentsOf(e, r)
				for _, id := range agents {
					out.Tasks = append(out.Tasks, r.Tasks(id, shownTasks)...)
				}
				for _, t := range out.Tasks {
					w, _ := r.Item(t.WorkItemID)
					out.handles[t.WorkItemID] = w.Handle
				}
				return out, err
			})
		},
	}
}

// taskList is the data of task list.
type taskList struct {
	Tasks []model.Task `json:"tasks"`

	handles map[model.ItemID]model.Handle
}

func (p *page) tasks(l taskList) {
	if len(l.Tasks) == 0 {
		p.line("no tasks; vise task run -- COMMAND starts one")
	}
	for _, t := range l.Tasks {
		p.line("%s  %-11s %s  %s  %s", t.ID, t.Status, t.AgentID, l.handles[t.WorkItemID], t.Summary)
	}
}

// oneTask reads the task with that id.
func oneTask(id string) func(model.Reader) (model.Task, error) {
	return func(r model.Reader) (model.Task, error) {
		t, ok := r.Task(model.TaskID(id))
		if !ok {
			return t, notFound("unknown task %s", id).At("task_id",
				"list them: vise task list")
		}
		return t, nil
	}
}

func taskShowVerb() verb {
	return verb{
		use: "show TASK", short: "Show a task and the end of what it wrote",
		example: "vise task show task-7f3k",
		run: func(e *Env) (answer, error) {
			return readAnswer(e, (*page).task, oneTask(e.words[0]))
		},
	}
}

func (p *page) task(t model.Task) {
	p.line("%s  %s  %s", t.ID, t.Status, t.Summary)
	p.line("agent %s, work item %s", t.AgentID, cmp.Or(string(t.WorkItemID), "none"))
	if t.Run.Dir != "" {
		p.line("in %s %s", t.Run.Dir, t.Run.GitHead)
	}
	if t.Status == model.TaskRunning && t.Run.Supervisor.PID != 0 {
		p.line("process %d supervises it", t.Run.Supervisor.PID)
	}
	if t.Result != "" {
		p.line("%s", firstLine(t.Result))
	}
	if t.End == nil {
		return
	}
	p.line("exit status %d after %s", t.End.ExitCode, time.Duration(t.End.DurationMS)*time.Millisecond)
	if t.End.LogBytes < t.End.OutputBytes {
		p.line("the log holds %d of %d bytes: %s", t.End.LogBytes, t.End.OutputBytes, t.Run.Log)
	} else if t.Run.Log != "" {
		p.line("all %d bytes of output: %s", t.End.OutputBytes, t.Run.Log)
	}
	for _, line := range t.End.Tail.Lines() {
		p.say("  %s", line)
	}
}

func taskStopVerb() verb {
	return verb{
		use: "stop TASK", short: "Stop a running task",
		example: "vise task stop task-7f3k",
		run: func(e *Env) (answer, error) {
			t, err := readOne(e, oneTask(e.words[0]))
			if err != nil {
				return nil, err
			}
			s, err := supervisor(e)
			if err != nil {
				return nil, err
			}
			asked, err := s.Stop(e, t, e.actor)
			out := map[string]any{"task_id": t.ID, "was": t.Status, "asked": asked}
			said := "is ended"
			if t.Status != model.TaskRunning {
				said = "had ended: " + string(t.Status)
			} else if asked {
				said = "was asked to end"
			}
			return oneLine(out, "%s %s", t.ID, said), err
		},
	}
}
