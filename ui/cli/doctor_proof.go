package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/lock"
)

// proof is the answer of doctor's child process.
type proof struct {
	store.Health
	// Copied counts the changes in the journal beside the ledger. CopyProblems are the errors found there.
	Copied, Behind uint64
	CopyProblems   []string
}

// prove proves the ledger in this process.
func prove(e *Env) (answer, error) {
	limitMemory()
	d, err := openHome(e)
	if err != nil {
		return nil, err
	}
	h, c, err := d.Ledger.Prove(lock.WithLimit(e, doctorLimit))
	if err != nil {
		return nil, err
	}
	out := proof{Health: h, Copied: c.Changes, Behind: c.Behind, CopyProblems: c.Problems}
	return oneLine(out, "%d problems", out.Found), nil
}

// proveInChild proves the ledger in a child process: a badly damaged file can make the database run for ever, or end the process.
func proveInChild(e *Env, ctx context.Context, limit time.Duration) []check {
	var p proof
	switch err := inChild(ctx, "", limit, &p, "doctor", "--in-child", "--home", e.home.Dir()); {
	case errors.Is(err, context.DeadlineExceeded):
		return []check{{Name: "ledger", Message: "not proved within " + limit.String(), Hint: "give it longer: --timeout", NoTime: true}}
	case errors.Is(err, errBrokeDown):
		return []check{{Name: "ledger", Message: "the check itself broke down: " + safe(err.Error()), Hint: damagedHint}}
	case model.HasCode(err, model.CodeDamaged):
		return []check{{Name: "ledger", Message: safe(fault(err).Message), Hint: damagedHint}}
	case err != nil:
		k := notMade("ledger", err)
		k.Message = "not proved: " + k.Message
		return []check{k}
	}
	return verdicts(p)
}

// errBrokeDown is the error if the child ended without an answer.
var errBrokeDown = errors.New("its process ended")

// inChild runs a command of this program in a child process with a time limit, in dir (empty: here), and reads its data.
func inChild(ctx context.Context, dir string, limit time.Duration, data any, args ...string) error {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, self, append([]string{"--json"}, args...)...)
	child.Args[0], child.Dir = os.Args[0], dir
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGTERM) } // so that the child can clean up
	child.WaitDelay = 3 * time.Second
	raw, err := child.Output()
	answer := struct {
		Data  any          `json:"data"`
		Error *model.Error `json:"error"`
	}{Data: data}
	if jsonErr := json.Unmarshal(raw, &answer); jsonErr != nil || err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", errBrokeDown, errors.Join(causeOfEnd(err), ctx.Err()))
	}
	if answer.Error != nil {
		return answer.Error
	}
	return nil
}

// causeOfEnd is the error of a child that ended, with the first line that it wrote to its standard error.
func causeOfEnd(err error) error {
	if ended, is := errors.AsType[*exec.ExitError](err); is {
		if line, _, _ := strings.Cut(string(ended.Stderr), "\n"); line != "" {
			return fmt.Errorf("%w: %s", err, line)
		}
	}
	return err
}

const damagedHint = "vise restore --dry-run says what can be restored; the damaged file is kept"

// copyVerdict checks the proof of the journal beside the ledger. A journal that is behind catches up by itself.
func copyVerdict(p proof) check {
	k := check{Name: "journal", OK: len(p.CopyProblems) == 0, Message: fmt.Sprintf("%d changes are copied as they are in the ledger",
		p.Copied)}
	if p.Behind > 0 {
		k.Message += fmt.Sprintf(", %d more come with the next change", p.Behind)
	}
	if !k.OK {
		k.Message = safe(strings.Join(p.CopyProblems, "; "))
		k.Hint = "vise doctor --repair fills it from the ledger, and keeps what is damaged aside"
	}
	return k
}

// verdicts returns the proof as checks: data that cannot be rebuilt, and data that can.
func verdicts(p proof) []check {
	kept := check{Name: "ledger", OK: p.Found == p.Derived,
		Message: fmt.Sprintf("%d records, %d changes and %d events are as they were written", p.Records, p.Commits, p.Entries)}
	if p.Archived > 0 {
		kept.Message += fmt.Sprintf("; %d older changes are in the archive, and were not read", p.Archived)
	}
	derived := check{Name: "index", OK: p.Derived == 0, Message: fmt.Sprintf("%d rows and the counts follow from the records", p.Rows)}
	problems := ""
	for _, s := range p.Problems {
		problems += "; " + safe(s)
	}
	if !kept.OK {
		kept.Message, kept.Hint = fmt.Sprintf("%d problems%s", p.Found-p.Derived, problems), damagedHint
	}
	if !derived.OK {
		derived.Message, derived.Hint = fmt.Sprintf("%d rows or counts differ from the records%s", p.Derived, problems),
			"vise doctor --repair makes them again"
	}
	return []check{kept, derived, copyVerdict(p)}
}
