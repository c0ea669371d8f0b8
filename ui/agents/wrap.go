package agents

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"vise/model"
	"vise/store/home"
	"vise/ui/transcript"
)

// Options say what is run, and for whom.
type WrapOptions struct {
	Argv     []string
	Agent    model.AgentID
	Home     *home.Home
	In       io.Reader
	Out, Err io.Writer
	Env      []string
	Now      func() time.Time
}

// Report is what came of it.
type WrapReport struct {
	// Exit is the program's own exit code.
	Exit int `json:"exit"`
	// Captured says how the output was read: claude, codex, text, or none for a program
	// that has the terminal to itself.
	Captured string `json:"captured"`
	// Completed are the items that the agent completed meanwhile, Warnings what became of
	// their reports.
	Completed []string        `json:"completed,omitempty"`
	Warnings  []model.Warning `json:"warnings,omitempty"`
	Promoted  int             `json:"reports_promoted,omitempty"`
	// Problems are words that could not be brought into the ledger or the spool.
	Problems []string `json:"problems,omitempty"`
}

const (
	// grace is what a program has to end after it was told to.
	grace = 5 * time.Second
	// maxLine bounds a line that is read for its meaning; a longer one only passes through.
	maxLine = 16 << 20
	// maxTail is how much of plain output can be a report: the end of it.
	maxTail = 48 << 10
	// journalPage bounds one reading of the journal.
	journalPage = 500
)

// Run runs the program to its end. An error means that it could not be run at all.
func Wrap(ctx context.Context, o WrapOptions) (WrapReport, error) {
	out := WrapReport{Captured: kindOf(o.Argv)}
	w := &watch{WrapOptions: o, report: &out, session: ulid.MustNew(ulid.Now(), rand.Reader).String()}
	from, err := w.position(ctx)
	if err != nil {
		return out, err
	}
	c := exec.CommandContext(ctx, o.Argv[0], o.Argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = o.In, o.Out, o.Err
	c.Env = append(slices.Clone(o.Env), "VISE_AGENT="+string(o.Agent))
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = grace
	if out.Captured != "none" {
		w.listen(ctx, out.Captured)
		c.Stdout = io.MultiWriter(o.Out, w)
	}
	err = c.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return out, model.Refuse(model.CodeInvalid, "%s could not be run", model.Text(o.Argv[0])).Because(err).WithHint("name the agent's program after --")
	}
	out.Exit = max(c.ProcessState.ExitCode(), 0)
	if ended != nil && c.ProcessState.ExitCode() < 0 {
		out.Exit = 128 + int(c.ProcessState.Sys().(syscall.WaitStatus).Signal())
	}
	w.end(context.WithoutCancel(ctx), from)
	return out, nil
}

// kindOf tells from a command line how the program talks. One that may be a full-screen
// program keeps the terminal.
func kindOf(argv []string) string {
	has := func(words ...string) bool {
		return slices.ContainsFunc(argv[1:], func(a string) bool { return slices.Contains(words, a) })
	}
	switch filepath.Base(argv[0]) {
	case "claude":
		if !has("-p", "--print") {
			return "none"
		}
		if has("stream-json", "--output-format=stream-json") {
			return "claude"
		}
	case "codex":
		if !has("exec", "e") {
			return "none"
		}
		if has("--json", "--experimental-json") {
			return "codex"
		}
	case "crush", "opencode":
		if !has("run") {
			return "none"
		}
	}
	return "text"
}

// watch reads along.
type watch struct {
	WrapOptions
	session string
	report  *WrapReport
	lines   transcript.Stream
	ctx     context.Context
	part    []byte
	long    bool
	tail    []byte
	// told are references whose rounds were delivered.
	told []string
}

func (w *watch) listen(ctx context.Context, kind string) {
	w.ctx = context.WithoutCancel(ctx)
	switch kind {
	case "claude":
		w.lines = &transcript.Claude{}
	case "codex":
		w.lines = &transcript.Codex{}
	}
}

// Write takes what passes through. It never fails: the program must not notice it.
func (w *watch) Write(p []byte) (int, error) {
	n := len(p)
	if w.lines == nil {
		w.tail = append(w.tail, p...)
		w.tail = w.tail[max(0, len(w.tail)-maxTail):]
		return n, nil
	}
	for {
		line, rest, found := bytes.Cut(p, []byte("\n"))
		if w.long = w.long || len(w.part)+len(line) > maxLine; !w.long {
			w.part = append(w.part, line...)
		}
		if !found {
			return n, nil
		}
		if !w.long {
			w.heard()
		}
		w.part, w.long, p = w.part[:0], false, rest
	}
}

// heard takes the line that is complete. One that is not understood only passes through.
func (w *watch) heard() {
	rounds, _ := w.lines.Line(w.part)
	w.deliver(rounds)
}

func (w *watch) deliver(rounds []transcript.Round) {
	for _, r := range transcript.Completing(rounds) {
		in, _, err := w.Home.Report(w.ctx, home.HookReport{
			Key: "run-" + w.session + "-" + r.ID, Agent: w.Agent, Items: r.Completed, Text: r.Text, Provenance: r.Provenance, At: w.Now(),
		})
		w.told = append(w.told, r.Completed...)
		w.report.Warnings = append(w.report.Warnings, in.Warnings...)
		if in.ReportPromoted {
			w.report.Promoted++
		}
		if err != nil {
			w.report.Problems = append(w.report.Problems, model.Text(err.Error()).String())
		}
	}
}

// end delivers what the end of the output completes. What the agent completed without a
// round of its own is offered the run's last words.
func (w *watch) end(ctx context.Context, from model.Position) {
	if w.lines != nil {
		w.heard()
		w.deliver(w.lines.End())
	}
	done, err := w.completed(ctx, from)
	if err != nil {
		w.report.Problems = append(w.report.Problems, model.Text(err.Error()).String())
		return
	}
	for _, id := range done {
		w.report.Completed = append(w.report.Completed, string(id))
	}
	if w.lines == nil && len(done) > 0 && len(bytes.TrimSpace(w.tail)) > 0 {
		w.ctx = ctx
		w.deliver([]transcript.Round{{ID: "last", Completed: w.report.Completed, Text: transcript.Words(strings.ToValidUTF8(string(w.tail), "")), Provenance: model.ReportTurnFinal}})
	}
}

func (w *watch) position(ctx context.Context) (model.Position, error) {
	var p model.Position
	err := w.Home.View(ctx, func(r model.Reader) error {
		p = model.Position{Revision: r.Revision(), N: 1 << 30}
		return nil
	})
	return p, err
}

// completed are the items that the agent completed after a position and that have no report.
func (w *watch) completed(ctx context.Context, from model.Position) ([]model.ItemID, error) {
	var out []model.ItemID
	for {
		full := false
		err := w.Home.View(ctx, func(r model.Reader) error {
			page := r.History(w.Agent, from, journalPage)
			full = len(page) == journalPage
			for _, e := range page {
				from = model.Position{Revision: e.Revision, N: e.N}
				x, ok := r.Item(e.WorkItemID)
				if ok && e.Kind == model.EventWorkItemWritten && x.State == model.Completed && x.ResultSummary == "" && !slices.Contains(out, x.ID) {
					out = append(out, x.ID)
				}
			}
			return nil
		})
		if err != nil || !full {
			return out, err
		}
	}
}

// Environ is the environment of this process.
func Environ() []string { return os.Environ() }
