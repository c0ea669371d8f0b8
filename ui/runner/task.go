package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/store/threads"
)

// Supervisor runs commands for one home.
type Supervisor struct {
	Ledger home.Ledger
	// Home is the home's directory. Output is kept in its log, one file for each task.
	Home string
	Now  func() time.Time
}

// TaskSpec is a command to run. It gets the environment of this process.
type TaskSpec struct {
	Argv []string
	Dir  string
	// Item is the item that waits for the task; if empty, the task is the agent's own.
	Item     model.ItemID
	Agent    model.AgentID
	Actor    model.Actor
	Summary  model.Text
	Blocking bool
	// Timeout ends the command; zero means no limit.
	Timeout time.Duration
	// Echo gets the output as it arrives; it may be nil.
	Echo io.Writer
	// Started is called with the task's id once the task is recorded; it may be nil.
	Started func(model.TaskID)
}

// maxLog is how many bytes of output are kept in a file.
const maxLog = 64 << 20

// TaskResult says how a task ended.
type TaskResult struct {
	TaskID model.TaskID     `json:"task_id"`
	Status model.TaskStatus `json:"status"`
	Result model.Text       `json:"result"`
	Log    model.Text       `json:"log"`
	End    model.TaskEnd    `json:"end"`
	In     model.Receipt    `json:"-"`
}

var errTaskTimeout = errors.New("timed out")

// Run records the task, runs the command, and records its end. When ctx ends, the command is ended and counts as cancelled. The error is
// about the records. A command that fails is not an error.
func (s Supervisor) Run(ctx context.Context, w TaskSpec) (TaskResult, error) {
	log, err := s.openLog()
	if err != nil {
		return TaskResult{}, err
	}
	defer log.Close()
	in, err := s.start(ctx, w, log.Name())
	id := in.TaskID
	if err != nil {
		return TaskResult{}, errors.Join(err, os.Remove(log.Name()))
	}
	if w.Started != nil {
		w.Started(id)
	}
	tail := &files.Tail{Max: model.MaxTail}
	kept := &Capped{To: log, Max: maxLog}
	out := io.MultiWriter(tail, kept)
	if w.Echo != nil {
		out = io.MultiWriter(tail, kept, &Capped{To: w.Echo, Max: 1 << 62})
	}
	run := ctx
	if w.Timeout > 0 {
		var cancel context.CancelFunc
		run, cancel = context.WithTimeoutCause(ctx, w.Timeout, errTaskTimeout)
		defer cancel()
	}
	r, failed := execute(run, processSpec{Argv: w.Argv, Dir: w.Dir, Env: os.Environ(), Stdout: out, Stderr: out,
		Record: newRecord(s.Home, in.AgentID)})
	d := TaskResult{TaskID: id, Log: model.Text(log.Name()), End: model.TaskEnd{
		At: s.Now().UTC(), ExitCode: r.ExitCode, Signal: r.Signal, DurationMS: r.Duration.Milliseconds(),
		Tail: model.Text(tail.String()), OutputBytes: tail.Total(), LogBytes: kept.Written(), Survivors: r.Survivors,
	}}
	d.Status, d.Result = outcome(ctx, r, failed, tail.String())
	d.In, err = s.end(ctx, w, d)
	return d, errors.Join(err, kept.Err)
}

// Stop asks the supervisor of a task to end the task. The supervisor then records the end, and asked is true. If the supervisor is gone, or
// there never was one, Stop records the end itself.
func (s Supervisor) Stop(ctx context.Context, t model.Task, by model.Actor) (asked bool, err error) {
	if t.Status != model.TaskRunning {
		return false, nil
	}
	p := t.Run.Supervisor
	end := model.EndTask{TaskID: t.ID, Status: model.TaskCancelled, Result: "was stopped"}
	if p.PID != 0 {
		if p.Host != Self().Host {
			return false, model.Refused("task %s runs on another machine", t.ID).WithHint("stop it there")
		}
		// The handle is taken before the check, so that the checked process is the one that is signalled.
		handle, err := os.FindProcess(p.PID)
		if err == nil && Alive(p) {
			defer handle.Release()
			return true, handle.Signal(syscall.SIGTERM)
		}
		end.Status, end.Result = model.TaskInterrupted, "its supervisor is gone"
	}
	_, err = home.Send(ctx, s.Ledger, by, t.AgentID, end)
	return false, err
}

func (s Supervisor) openLog() (*os.File, error) {
	dir := filepath.Join(s.Home, "log", "tasks")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, s.Now().UTC().Format("20060102T150405Z")+"-*.log")
}

func (s Supervisor) start(ctx context.Context, w TaskSpec, log string) (model.Receipt, error) {
	run := model.TaskRun{Dir: model.Text(w.Dir), Supervisor: Self(), Log: model.Text(log), GitHead: threads.Reader{}.Head(ctx, w.Dir)}
	for _, word := range w.Argv {
		run.Command = append(run.Command, model.Text(strings.ToValidUTF8(word, "\uFFFD")))
	}
	c := model.StartTask{WorkItemID: w.Item, Blocking: w.Blocking, Run: run,
		Summary: cmp.Or(w.Summary, model.Text(shortened(strings.Join(w.Argv, " "), summaryLength)))}
	return home.Send(ctx, s.Ledger, w.Actor, w.Agent, c)
}

// summaryLength bounds a summary that is made from a command, in characters.
const summaryLength = 200

// endLimit is how long the record of an end waits for the ledger.
const endLimit = time.Minute

// end records the end. If that fails, the task stays recorded as running, and the next sweep finds that its supervisor is gone.
func (s Supervisor) end(ctx context.Context, w TaskSpec, d TaskResult) (model.Receipt, error) {
	ctx, cancel := closing(ctx, endLimit)
	defer cancel()
	c := model.EndTask{TaskID: d.TaskID, Status: d.Status, Result: d.Result, End: &d.End}
	in, err := home.Send(ctx, s.Ledger, w.Actor, w.Agent, c)
	if err != nil {
		return in, fmt.Errorf("the end of task %s: %w", d.TaskID, err)
	}
	return in, nil
}

// shownTail is how many bytes of output a result holds; the log has more.
const shownTail = 400

// outcome returns how a run ended, as a status and in words.
func outcome(ctx context.Context, r processResult, failed error, tail string) (model.TaskStatus, model.Text) {
	status, words := model.TaskCompleted, "ended well"
	switch {
	case errors.Is(failed, errTaskTimeout):
		status, words = model.TaskFailed, "timed out"
	case failed != nil && ctx.Err() != nil:
		status, words = model.TaskCancelled, "was stopped"
	case failed != nil:
		status, words = model.TaskFailed, "did not start: "+failed.Error()
	case r.Signal != "":
		status, words = model.TaskFailed, "was ended by a signal: "+r.Signal
	case r.ExitCode != 0:
		status, words = model.TaskFailed, fmt.Sprintf("exit status %d", r.ExitCode)
	}
	if r.Survivors > 0 {
		words += fmt.Sprintf("; %d processes could not be ended", r.Survivors)
	}
	tail = strings.TrimSpace(tail)
	if len(tail) > shownTail {
		tail = "…" + strings.ToValidUTF8(tail[len(tail)-shownTail:], "")
	}
	if tail != "" {
		words += "\n" + tail
	}
	return status, model.Text(strings.ToValidUTF8(words, "\uFFFD"))
}
