package agents

import (
	"context"
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
	"vise/ui/runner"
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
	// Captured says how the output was read: claude, codex, text, or none for a program that keeps the terminal.
	Captured string
	// Warnings report on the items that the agent completed during the run.
	Warnings []model.Warning
	Promoted int
	// Problems lists texts that could be put neither into the ledger nor into the hook queue.
	Problems []string
}

const (
	// grace is how long a program has to end after it was asked to.
	grace = 5 * time.Second
	// maxTail is how much of the end of plain output can become a report.
	maxTail = 48 << 10
	// journalPage bounds one read of the journal.
	journalPage = 500
)

// Wrap runs a program to its end. Input and output pass through unchanged, and the text beside each completion is kept. An error means that
// the program could not be run at all.
func Wrap(ctx context.Context, o WrapOptions) (WrapReport, error) {
	p := programOf(filepath.Base(o.Argv[0]))
	w := &wrapped{WrapOptions: o, session: home.NewKey(), ctx: context.WithoutCancel(ctx)}
	w.Captured = p.captured(o.Argv)
	var from model.Position
	if err := o.Home.View(ctx, func(r model.Reader) error {
		from = model.AfterRevision(r.Revision())
		return nil
	}); err != nil {
		return w.WrapReport, err
	}
	c := exec.CommandContext(ctx, o.Argv[0], o.Argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = o.In, o.Out, o.Err
	c.Env = append(slices.Clone(o.Env), "VISE_HOME="+o.Home.Dir(), "VISE_AGENT="+string(o.Agent),
		"VISE_ACTOR="+string(model.AgentActor(o.Agent)))
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = grace
	err := w.run(c, p)
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return w.WrapReport, model.Invalid("%s could not be run", model.Text(o.Argv[0])).Because(err).
			WithHint("name the agent's program after --")
	}
	w.Exit = max(c.ProcessState.ExitCode(), 0)
	if ended != nil && c.ProcessState.ExitCode() < 0 {
		w.Exit = 128 + int(c.ProcessState.Sys().(syscall.WaitStatus).Signal())
	}
	w.offer(from)
	if w.Exit != 0 {
		w.limited()
	}
	return w.WrapReport, nil
}

// captured decides from a command line how to read the program's output. A program that may use the full screen keeps the terminal.
func (p program) captured(argv []string) string {
	has := func(words []string) bool {
		return slices.ContainsFunc(argv[1:], func(a string) bool { return slices.Contains(words, a) })
	}
	switch {
	case p.name != "" && !has(p.batch):
		return "none"
	case p.stream != nil && has(p.streams):
		return p.name
	}
	return "text"
}

// wrapped is one run of a program.
type wrapped struct {
	WrapOptions
	WrapReport
	session string
	tail    string
	// limit is until when the program says that its usage limit holds.
	limit time.Time
	// ctx is for deliveries that must happen even if the run is cancelled.
	ctx context.Context
}

func (w *wrapped) run(c *exec.Cmd, p program) error {
	switch w.Captured {
	case "none":
		return c.Run()
	case "text":
		tail := &files.Tail{Max: maxTail}
		c.Stdout = io.MultiWriter(w.Out, tail)
		defer func() {
			w.tail = strings.TrimSpace(strings.ToValidUTF8(tail.String(), ""))
			w.limit = transcript.LimitIn(w.tail, w.Now())
		}()
		return c.Run()
	}
	read, write := io.Pipe()
	c.Stdout = io.MultiWriter(w.Out, write)
	stream, ended := p.stream(), make(chan struct{})
	go func() {
		defer close(ended)
		_ = runner.EachLine(read, func(line []byte, _ error) {
			rounds, _ := stream.Line(line) // lines that are not understood only pass through
			w.deliver(rounds)
		})
	}()
	err := c.Run()
	write.Close()
	<-ended
	w.deliver(stream.End())
	w.limit = stream.Limit(w.Now())
	final, _ := stream.Last()
	w.tail = final.Raw() // raw: offered as a report, not shown
	return err
}

func (w *wrapped) deliver(rounds []transcript.Round) {
	for _, r := range transcript.Completing(rounds) {
		in, _, err := w.Home.Report(w.ctx, home.HookReport{
			Key: "run-" + w.session + "-" + r.ID, Agent: w.Agent, Items: r.Completed, Text: r.Text, Provenance: r.Provenance, At: w.Now(),
		})
		w.Warnings = append(w.Warnings, in.Warnings...)
		if in.ReportPromoted {
			w.Promoted++
		}
		if err != nil {
			w.Problems = append(w.Problems, model.Text(err.Error()).String())
		}
	}
}

// limited records until when the usage limit holds that ended the run.
func (w *wrapped) limited() {
	if !w.limit.After(w.Now()) {
		return
	}
	_, err := w.Home.Apply(w.ctx, model.Envelope{Key: home.NewKey(), Actor: model.AgentActor(w.Agent), Agent: w.Agent,
		Command: model.KeepUsageLimit{Until: w.limit}})
	if err != nil {
		w.Problems = append(w.Problems, model.Text(err.Error()).String())
	}
}

// offer offers the end of the output as a report to items that were completed without one.
func (w *wrapped) offer(from model.Position) {
	if w.tail == "" {
		return
	}
	done, err := w.completed(from)
	if err != nil {
		w.Problems = append(w.Problems, model.Text(err.Error()).String())
	} else if len(done) > 0 {
		w.deliver([]transcript.Round{{ID: "last", Completed: done, Text: transcript.Words(w.tail), Provenance: model.ReportTurnFinal}})
	}
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
