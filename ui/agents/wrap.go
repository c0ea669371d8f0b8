package agents

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/transcript"
)

// WrapOptions say what to run, and for whom.
type WrapOptions struct {
	Argv     []string
	Agent    model.AgentID
	Home     *home.Home
	In       io.Reader
	Out, Err io.Writer
	Env      []string
	Now      func() time.Time
}

// WrapReport is the result of a run.
type WrapReport struct {
	// Exit is the program's own exit code.
	Exit int
	// Warnings report on the items that the agent completed during the run.
	Warnings []model.Warning
	// Problems are why the ledger did not take something.
	Problems []error
}

const (
	// grace is how long a program has to end after it was asked to.
	grace = 5 * time.Second
	// maxTail is how much of the end of the output can become a report.
	maxTail = 48 << 10
	// journalPage bounds one read of the journal.
	journalPage = 500
)

// Wrap runs a program to its end. Input and output pass through unchanged. The end of the output is offered as a report. An error means
// that the program could not be run at all.
func Wrap(ctx context.Context, o WrapOptions) (WrapReport, error) {
	w := &wrapped{WrapOptions: o, ctx: context.WithoutCancel(ctx)}
	var from model.Position
	if err := o.Home.View(ctx, func(r model.Reader) error {
		from = model.AfterRevision(r.Revision())
		return nil
	}); err != nil {
		return w.WrapReport, err
	}
	c := exec.CommandContext(ctx, o.Argv[0], o.Argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = o.In, o.Out, o.Err
	tail := &files.Tail{Max: maxTail}
	if programOf(filepath.Base(o.Argv[0])).writes(o.Argv[1:]) {
		c.Stdout = io.MultiWriter(o.Out, tail)
	}
	c.Env = append(slices.Clone(o.Env), "VISE_HOME="+o.Home.Dir(), "VISE_AGENT="+string(o.Agent),
		"VISE_ACTOR="+string(model.AgentActor(o.Agent)))
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = grace
	err := c.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return w.WrapReport, model.Invalid("%s could not be run", model.Text(o.Argv[0])).Because(err).
			WithHint("name the agent's program after --")
	}
	w.Exit = max(c.ProcessState.ExitCode(), 0)
	if ended != nil && c.ProcessState.ExitCode() < 0 {
		w.Exit = 128 + int(c.ProcessState.Sys().(syscall.WaitStatus).Signal())
	}
	words := strings.TrimSpace(strings.ToValidUTF8(tail.String(), ""))
	w.offer(from, words)
	if until := transcript.LimitIn(words, o.Now()); w.Exit != 0 && until.After(o.Now()) {
		_, err := home.Send(w.ctx, o.Home, model.AgentActor(o.Agent), o.Agent, model.KeepUsageLimit{Until: until})
		w.tell(err)
	}
	return w.WrapReport, nil
}

// writes reports whether the program writes text and ends. One that may use the full screen keeps the terminal.
func (p program) writes(args []string) bool {
	return p.name == "" || slices.ContainsFunc(args, func(a string) bool { return slices.Contains(p.batch, a) })
}

// wrapped is one run of a program.
type wrapped struct {
	WrapOptions
	WrapReport
	// ctx is for what must happen even if the run is cancelled.
	ctx context.Context
}

func (w *wrapped) tell(err error) {
	if err != nil {
		w.Problems = append(w.Problems, err)
	}
}

// offer offers the end of the output as a report to items that were completed without one. Lines of JSON are for programs, and no report.
func (w *wrapped) offer(from model.Position, words string) {
	last := words[strings.LastIndexByte(words, '\n')+1:]
	if words == "" || last[0] == '{' && json.Valid([]byte(last)) {
		return
	}
	done, err := w.completed(from)
	if w.tell(err); len(done) == 0 {
		return
	}
	in, _, err := w.Home.Report(w.ctx, home.HookReport{Key: home.NewKey(), Agent: w.Agent, Items: done, Text: transcript.Words(words),
		Provenance: model.ReportTurnFinal, At: w.Now()})
	w.Warnings = in.Warnings
	w.tell(err)
}

// completed returns the items that the agent completed after a position and that have no report.
func (w *wrapped) completed(from model.Position) (ids []string, err error) {
	for n := journalPage; n == journalPage && err == nil; {
		err = w.Home.View(w.ctx, func(r model.Reader) error {
			page := r.History(w.Agent, from, journalPage)
			n = len(page)
			for _, e := range page {
				from = e.Position()
				x, ok := r.Item(e.WorkItemID)
				isDone := ok && e.Kind == model.EventWorkItemWritten && x.State == model.Completed && x.ResultSummary == ""
				if isDone && !slices.Contains(ids, string(x.ID)) {
					ids = append(ids, string(x.ID))
				}
			}
			return nil
		})
	}
	return ids, err
}
