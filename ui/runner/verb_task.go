package runner

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
)

func (e VerbEnv) task() *cobra.Command {
	c := &cobra.Command{Use: "task", Short: "Run commands that work items can wait for"}
	c.AddCommand(e.taskRun(), e.taskList(), e.taskShow(), e.taskStop())
	return c
}

type taskOptions struct {
	item, summary      string
	blocking, detach   bool
	quiet, onlyStarted bool
	timeout            time.Duration
}

func (e VerbEnv) taskRun() *cobra.Command {
	var o taskOptions
	c := &cobra.Command{
		Use: "run [--item ID] -- COMMAND…", Short: "Run a command and record how it ends",
		Long: "run starts a command as it is, without a shell, records it as a task, keeps the end of what it writes,\n" +
			"and records how it ended, which triggers the waits on it. With --detach it answers with the task at once\n" +
			"and the command goes on, even when who asked for it ends.",
		Args: cobra.MinimumNArgs(1),
	}
	f := c.Flags()
	f.StringVar(&o.item, "item", "", "the work item that it is for (default: the agent's own)")
	f.StringVar(&o.summary, "summary", "", "what it is, in words (default: the command)")
	f.BoolVar(&o.blocking, "blocking", false, "refuse the work item's completion while it runs")
	f.BoolVar(&o.detach, "detach", false, "answer once it runs")
	f.BoolVar(&o.quiet, "quiet", false, "do not repeat what it writes")
	f.DurationVar(&o.timeout, "timeout", 0, "end it after this long")
	f.BoolVar(&o.onlyStarted, "tell-started", false, "")
	_ = f.MarkHidden("tell-started") // for the process that --detach leaves behind
	return e.Verb(c, func(ctx context.Context, args []string) (Answer, error) {
		if o.detach {
			return e.detached(ctx, c, o)
		}
		return e.supervise(ctx, c, o, args)
	})
}

func (e VerbEnv) supervise(ctx context.Context, c *cobra.Command, o taskOptions, args []string) (Answer, error) {
	s, err := e.supervisor(ctx)
	if err != nil {
		return Answer{}, err
	}
	w := TaskSpec{Argv: args, Env: Unmarked(os.Environ()), Summary: model.Text(o.summary), Blocking: o.blocking, Timeout: o.timeout}
	if w.Actor, err = e.Actor(); err != nil {
		return Answer{}, err
	}
	if w.Dir, err = os.Getwd(); err != nil {
		return Answer{}, err
	}
	if w.Agent, err = e.Agent(); err != nil {
		return Answer{}, err
	}
	if o.item != "" {
		if w.Item, err = e.resolve(ctx, o.item); err != nil {
			return Answer{}, err
		}
		w.Agent = ""
	} else if w.Agent == "" {
		if w.Agent, err = e.only(ctx); err != nil {
			return Answer{}, err
		}
	}
	if !o.quiet && !o.onlyStarted {
		w.Echo = c.ErrOrStderr()
	}
	if o.onlyStarted {
		w.Started = func(id model.TaskID) {
			_ = json.NewEncoder(c.OutOrStdout()).Encode(taskStarted{id}) // whoever asked may be gone
			signal.Ignore(syscall.SIGPIPE)                               // nobody listens any more
		}
	}
	d, err := s.Run(ctx, w)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Data: d, Failed: d.Status != model.TaskCompleted, Text: func(out io.Writer) {
		fmt.Fprintf(out, "%s %s: %s\n", d.TaskID, d.Status, firstLine(d.Result))
	}}, nil
}

// only is the agent of a home that has one.
func (e VerbEnv) only(ctx context.Context) (id model.AgentID, err error) {
	err = e.view(ctx, func(r model.Reader) error {
		if all := r.Agents("", 2); len(all) == 1 {
			id = all[0].ID
			return nil
		}
		return Misuse("agent", "nothing says whose task it is").WithHint("name a work item, or an agent: --item ID, --agent A")
	})
	return id, err
}

func (e VerbEnv) supervisor(ctx context.Context) (Supervisor, error) {
	l, err := e.Open(ctx)
	if err != nil {
		return Supervisor{}, err
	}
	home, err := e.Home()
	return Supervisor{Ledger: l, LogDir: filepath.Join(home, "log"), NewKey: e.NewKey, Now: e.Now}, err
}

// maxSaid bounds what is read of a supervisor that did not start, in bytes.
const maxSaid = 4096

// started is how a detached supervisor tells that its task runs.
type taskStarted struct {
	TaskID model.TaskID `json:"task_id"`
}

// detached starts this program again, as a supervisor in a session of its own.
func (e VerbEnv) detached(ctx context.Context, c *cobra.Command, o taskOptions) (Answer, error) {
	self, err := e.Program()
	if err != nil {
		return Answer{}, err
	}
	args := []string{}
	for _, arg := range os.Args[1:] {
		if arg == "--" {
			break
		}
		if arg != "--detach" && arg != "--detach=true" && arg != "--json" {
			args = append(args, arg)
		}
	}
	args = append(args, "--tell-started", "--")
	args = append(args, c.Flags().Args()...)
	actor, err := e.Actor()
	if err != nil {
		return Answer{}, err
	}
	child := exec.Command(self, args...)
	child.Env = append(Unmarked(os.Environ()), "VISE_ACTOR="+string(actor))
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, in, err := os.Pipe()
	if err != nil {
		return Answer{}, err
	}
	defer out.Close()
	child.Stdout, child.Stderr = in, in
	err = child.Start()
	in.Close()
	if err != nil {
		return Answer{}, err
	}
	defer child.Process.Release()
	said := bufio.NewReader(io.LimitReader(out, maxSaid))
	line, _ := said.ReadBytes('\n')
	var s taskStarted
	if json.Unmarshal(line, &s) != nil || s.TaskID == "" {
		rest, _ := io.ReadAll(said)
		return Answer{}, model.Refuse(model.CodeRefused, "the task did not start: %s", model.Text(append(line, rest...))).
			WithHint("run it without --detach to see why")
	}
	return Answer{Data: s, Text: func(w io.Writer) { fmt.Fprintf(w, "%s runs\n", s.TaskID) }}, nil
}

func firstLine(t model.Text) model.Text {
	for _, line := range t.Lines() {
		return model.Text(line)
	}
	return ""
}

// shownTasks bounds a list of tasks of one agent.
const shownTasks = 50

func (e VerbEnv) taskList() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List tasks: running ones, then the newest that ended", Args: cobra.NoArgs}
	return e.Verb(c, func(ctx context.Context, _ []string) (Answer, error) {
		named, err := e.Agent()
		if err != nil {
			return Answer{}, err
		}
		all := []model.Task{}
		err = e.view(ctx, func(r model.Reader) error {
			for _, id := range agentsOf(r, named) {
				all = append(all, r.Tasks(id, shownTasks)...)
			}
			return nil
		})
		return Answer{Data: map[string]any{"tasks": all}, Text: func(w io.Writer) {
			for _, t := range all {
				fmt.Fprintf(w, "%s  %-11s %s  %s  %s\n", t.ID, t.Status, t.AgentID, t.WorkItemID, t.Summary)
			}
		}}, err
	})
}

func (e VerbEnv) one(ctx context.Context, id string) (t model.Task, err error) {
	err = e.view(ctx, func(r model.Reader) error {
		var ok bool
		if t, ok = r.Task(model.TaskID(id)); !ok {
			return model.Refuse(model.CodeNotFound, "unknown task %s", model.Text(id)).At("task_id").WithHint("list them: vise task list")
		}
		return nil
	})
	return t, err
}

func (e VerbEnv) taskShow() *cobra.Command {
	c := &cobra.Command{Use: "show TASK", Short: "Show a task and the end of what it wrote", Args: cobra.ExactArgs(1)}
	return e.Verb(c, func(ctx context.Context, args []string) (Answer, error) {
		t, err := e.one(ctx, args[0])
		return Answer{Data: t, Text: func(w io.Writer) { showTask(w, t) }}, err
	})
}

func showTask(w io.Writer, t model.Task) {
	fmt.Fprintf(w, "%s  %s  %s\n", t.ID, t.Status, t.Summary)
	fmt.Fprintf(w, "agent %s, work item %s\n", t.AgentID, cmp.Or(string(t.WorkItemID), "none"))
	if t.Run.Dir != "" {
		fmt.Fprintf(w, "in %s %s\n", t.Run.Dir, t.Run.GitHead)
	}
	if t.Status == model.TaskRunning && t.Run.Supervisor.PID != 0 {
		fmt.Fprintf(w, "process %d watches over it\n", t.Run.Supervisor.PID)
	}
	if t.Result != "" {
		fmt.Fprintf(w, "%s\n", firstLine(t.Result))
	}
	if t.End == nil {
		return
	}
	fmt.Fprintf(w, "exit status %d after %s\n", t.End.ExitCode, time.Duration(t.End.DurationMS)*time.Millisecond)
	if t.End.LogBytes < t.End.OutputBytes {
		fmt.Fprintf(w, "the log holds %d of %d bytes: %s\n", t.End.LogBytes, t.End.OutputBytes, t.Run.Log)
	} else if t.Run.Log != "" {
		fmt.Fprintf(w, "all %d bytes of output: %s\n", t.End.OutputBytes, t.Run.Log)
	}
	for _, line := range t.End.Tail.Lines() {
		fmt.Fprintf(w, "  %s\n", model.Text(line))
	}
}

func (e VerbEnv) taskStop() *cobra.Command {
	c := &cobra.Command{Use: "stop TASK", Short: "Stop a running task", Args: cobra.ExactArgs(1)}
	return e.Verb(c, func(ctx context.Context, args []string) (Answer, error) {
		t, err := e.one(ctx, args[0])
		if err != nil {
			return Answer{}, err
		}
		actor, err := e.Actor()
		if err != nil {
			return Answer{}, err
		}
		s, err := e.supervisor(ctx)
		if err != nil {
			return Answer{}, err
		}
		asked, err := s.Stop(ctx, t, actor)
		out := map[string]any{"task_id": t.ID, "was": t.Status, "asked": asked}
		return Answer{Data: out, Text: func(w io.Writer) {
			switch {
			case t.Status != model.TaskRunning:
				fmt.Fprintf(w, "%s had ended: %s\n", t.ID, t.Status)
			case asked:
				fmt.Fprintf(w, "%s was asked to end\n", t.ID)
			default:
				fmt.Fprintf(w, "%s is ended\n", t.ID)
			}
		}}, err
	})
}
