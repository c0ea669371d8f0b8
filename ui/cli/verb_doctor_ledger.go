package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"vise/model"
)

// proof is what the child of doctor tells.
type proof struct {
	Revision uint64   `json:"revision"`
	Records  int      `json:"records"`
	Rows     int      `json:"rows"`
	Commits  int      `json:"commits"`
	Entries  int      `json:"entries"`
	Found    int      `json:"found"`
	Derived  int      `json:"derived"`
	Problems []string `json:"problems,omitempty"`
	// Copied changes are in the journal beside the ledger; CopyProblems say what is wrong there.
	Copied       uint64   `json:"copied"`
	Behind       uint64   `json:"behind"`
	CopyProblems []string `json:"copy_problems,omitempty"`
}

// prove proves the ledger in this process.
func (a *app) prove(ctx context.Context) (answer, error) {
	limitMemory()
	d, err := a.openHome()
	if err != nil {
		return answer{}, err
	}
	h, err := d.Ledger().Check(ctx)
	if err != nil {
		return answer{}, err
	}
	out := proof{Revision: h.Revision, Records: h.Records, Rows: h.Rows, Commits: h.Commits, Entries: h.Entries, Found: h.Found, Derived: h.Derived}
	c, err := d.Ledger().CheckCopy(ctx)
	if err != nil {
		return answer{}, err
	}
	out.Copied, out.Behind = c.Changes, c.Behind
	for _, s := range c.Problems {
		out.CopyProblems = append(out.CopyProblems, model.Text(s).String())
	}
	for _, s := range h.Problems {
		out.Problems = append(out.Problems, model.Text(s).String())
	}
	return answer{data: out, text: func(p *page) { p.line("%d problems", out.Found) }}, nil
}

// proveInChild proves the ledger in a child process: a badly damaged file can make the
// database below run for ever, or end the process.
func (a *app) proveInChild(ctx context.Context, limit time.Duration) []check {
	var told proof
	switch err := inChild(ctx, limit, &told, "doctor", "--in-child", "--home", a.home.Dir()); {
	case errors.Is(err, context.DeadlineExceeded):
		return []check{{Name: "ledger", Message: "not proved within " + limit.String(), Hint: "give it longer: --timeout"}}
	case errors.Is(err, errBrokeDown):
		return []check{{Name: "ledger", Message: "the check itself broke down: " + model.Text(err.Error()).String(), Hint: damagedHint}}
	case err != nil:
		return []check{{Name: "ledger", Message: model.Text(fault(err).Message).String(), Hint: damagedHint}}
	}
	return verdicts(told)
}

// errBrokeDown is the error of a child that ended without an answer.
var errBrokeDown = errors.New("reading the damaged file broke down")

// inChild runs a verb of this program in a child process, within a time, and reads its data.
func inChild(ctx context.Context, limit time.Duration, data any, args ...string) error {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, self, append([]string{args[0], "--json"}, args[1:]...)...)
	child.Args[0] = os.Args[0]
	child.WaitDelay = time.Second
	raw, err := child.Output()
	told := struct {
		Data  any          `json:"data"`
		Error *model.Error `json:"error"`
	}{Data: data}
	if jsonErr := json.Unmarshal(raw, &told); jsonErr != nil {
		return fmt.Errorf("%w: %w", errBrokeDown, errors.Join(err, ctx.Err()))
	}
	if told.Error != nil {
		return told.Error
	}
	return nil
}

const damagedHint = "vise restore --dry-run says what can be had back; the damaged file is kept"

// copyVerdict is the proof of the journal beside the ledger. One that is behind catches up
// by itself.
func copyVerdict(p proof) check {
	k := check{Name: "journal", OK: len(p.CopyProblems) == 0, Message: fmt.Sprintf("%d changes are copied as they are in the ledger", p.Copied)}
	if p.Behind > 0 {
		k.Message += fmt.Sprintf(", %d more come with the next change", p.Behind)
	}
	if !k.OK {
		k.Message = strings.Join(p.CopyProblems, "; ")
		k.Hint = "vise doctor --repair writes it anew from the ledger, and keeps the old one aside"
	}
	return k
}

// verdicts are the proof as checks: what cannot be made again, and what can.
func verdicts(p proof) []check {
	kept := check{Name: "ledger", OK: p.Found == p.Derived,
		Message: fmt.Sprintf("%d records, %d changes and %d events are as they were written", p.Records, p.Commits, p.Entries)}
	derived := check{Name: "index", OK: p.Derived == 0, Message: fmt.Sprintf("%d rows and the counts follow from the records", p.Rows)}
	told := ""
	for _, s := range p.Problems {
		told += "; " + s
	}
	if !kept.OK {
		kept.Message, kept.Hint = fmt.Sprintf("%d problems%s", p.Found-p.Derived, told), damagedHint
	}
	if !derived.OK {
		derived.Message, derived.Hint = fmt.Sprintf("%d rows or counts are not what follows from the records%s", p.Derived, told), "vise doctor --rebuild makes them anew"
	}
	return []check{kept, derived, copyVerdict(p)}
}
