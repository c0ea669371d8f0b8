package home

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/kv"
)

// HookReport is what a hook, or a wrapped run, has to tell: the words of a completing round, a command that ended, a prompt. While the
// ledger is busy, it waits in the hook queue: one small file for each in the home, until a process that has the home open takes it in.
type HookReport struct {
	// Key identifies the round, so that it counts once however many processes bring it.
	Key   string        `json:"key"`
	Agent model.AgentID `json:"agent_id"`
	// Items are references to all items that the round completed, as the agent wrote them. If there are none, Text is the last words of the
	// session.
	Items      []string       `json:"work_items"`
	Text       model.Text     `json:"text"`
	Provenance model.ReportOf `json:"provenance"`
	At         time.Time      `json:"at"`
	// Check is a command that ended, Ask a prompt of the agent's program. One of them is set instead of Text.
	Check *model.KeepCheck     `json:"check,omitempty"`
	Ask   *model.AskPermission `json:"ask,omitempty"`
}

// Bounds of the hook queue.
const (
	maxQueued  = 16 << 20 // bytes in a file: the text of a reply in JSON
	queueBatch = 200      // files that are taken in at once
	// queueLimit is how long taking in waits for the ledger before it leaves the rest to the next process.
	queueLimit = time.Second
	// queueEvery is how often an open home checks the hook queue.
	queueEvery = time.Second
)

func queueDir(home string) string   { return filepath.Join(home, "spool") }
func refusedDir(home string) string { return filepath.Join(queueDir(home), "refused") }

// Queue leaves a report in the hook queue. The same report twice leaves one.
func (h *Home) Queue(r HookReport) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	dir := queueDir(h.Dir())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("hook queue: %w", err)
	}
	name := fmt.Sprintf("%s-%s.json", r.At.UTC().Format("20060102T150405"), model.Hash(r.Key)[:24])
	if err := files.WriteAtomic(filepath.Join(dir, name), raw); err != nil {
		return fmt.Errorf("hook queue: %w", err)
	}
	return nil
}

// Report brings a report into the ledger. If the ledger cannot take it now, the report goes into the hook queue, and queued is true. An
// error says that the report will never be accepted, or that both ways failed.
func (h *Home) Report(ctx context.Context, r HookReport) (in model.Receipt, queued bool, err error) {
	in, err = h.report(ctx, r)
	if err == nil || RefusedForGood(err) {
		return in, false, err
	}
	if r.Ask != nil { // nobody waits here for the answer any more
		later := *r.Ask
		later.AnswerMS, r.Ask = 0, &later
	}
	return in, true, h.Queue(r)
}

func (h *Home) report(ctx context.Context, r HookReport) (model.Receipt, error) {
	e := model.Envelope{Key: r.Key, Actor: model.AgentActor(r.Agent), Agent: r.Agent}
	switch {
	case r.Check != nil:
		e.Command = *r.Check
	case r.Ask != nil:
		e.Command = *r.Ask
	case len(r.Items) == 0:
		e.Command = model.KeepSummary{Text: r.Text}
	default:
		c := model.OfferReport{Text: r.Text, Provenance: r.Provenance}
		for _, ref := range r.Items {
			id, err := h.Resolve(ctx, ref)
			if err != nil {
				return model.Receipt{}, err
			}
			c.WorkItemIDs = append(c.WorkItemIDs, id)
		}
		e.Command = c
	}
	return h.sendOwn(ctx, e)
}

// RefusedForGood reports whether an error of Report says that another try cannot succeed.
func RefusedForGood(err error) bool {
	known := model.AsError(err)
	if known == nil || errors.As(err, new(*kv.Refusal)) {
		return false // the error is about the home, not about the report
	}
	return slices.Contains([]model.Code{model.CodeInvalid, model.CodeNotFound, model.CodeAmbiguous,
		model.CodeNotOwner, model.CodeRefused, model.CodeCompleted}, known.Code)
}

// takeQueue takes the hook queue in when it is due.
func (h *Home) takeQueue(ctx context.Context) []model.Warning {
	last, now := h.queueAt.Load(), time.Now().UnixNano()
	if h.o.LeaveQueue || h.Dir() == "" || now-last < int64(queueEvery) || !h.queueAt.CompareAndSwap(last, now) {
		return nil
	}
	_, err := h.TakeQueue(ctx)
	if err == nil {
		return nil
	}
	w := failed(model.WarnQueueNotTaken, "the files of hooks were not read", err)
	h.o.Warn(w.Message)
	return []model.Warning{w}
}

// TakeQueue applies the reports in the hook queue, oldest first, and removes them. Reports that the rules refuse, and files that are no
// reports, are moved to refused/ below the queue. If the ledger is busy, the rest stays for later, without an error. An empty queue costs
// one read of a directory.
func (h *Home) TakeQueue(ctx context.Context) (taken int, err error) {
	ctx, cancel := context.WithTimeout(ctx, queueLimit)
	defer cancel()
	if h.o.TakePending != nil {
		h.o.TakePending(ctx, h, h.o.Now())
	}
	list, err := files.ReadDir(queueDir(h.Dir()))
	if files.IsGone(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, x := range list {
		if !strings.HasSuffix(x.Name(), ".json") || taken == queueBatch {
			continue
		}
		done, err := h.takeOne(ctx, x.Name())
		if err != nil || ctx.Err() != nil {
			return taken, err
		}
		if done {
			taken++
		}
	}
	return taken, nil
}

// takeOne applies one report. done says that it counts now.
func (h *Home) takeOne(ctx context.Context, name string) (done bool, err error) {
	path := filepath.Join(queueDir(h.Dir()), name)
	r, err := readReport(path)
	if files.IsGone(err) {
		return false, nil // another process was faster
	}
	if err == nil {
		if _, err = h.report(ctx, r); err != nil && !RefusedForGood(err) {
			return false, nil
		}
	}
	if err == nil {
		return true, files.UnlessGone(os.Remove(path))
	}
	if err := os.MkdirAll(refusedDir(h.Dir()), 0o700); err != nil {
		return false, err
	}
	return false, files.UnlessGone(os.Rename(path, filepath.Join(refusedDir(h.Dir()), name)))
}

func readReport(path string) (r HookReport, err error) {
	raw, err := files.ReadSmall(path, maxQueued)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(raw, &r)
}

// hooksSeen is the file that exists once a hook of an agent's program was seen.
func hooksSeen(dir string, agent model.AgentID) string {
	return filepath.Join(dir, "state", "hooks", "of-agents", string(agent))
}

// HooksSeen reports whether a hook of the agent's program was ever seen in a home. Hooks bring the agent's words.
func HooksSeen(dir string, agent model.AgentID) bool {
	_, err := os.Lstat(hooksSeen(dir, agent))
	return err == nil
}

// NoteHook remembers that a hook of the agent's program was seen. A failure is ignored.
func (h *Home) NoteHook(agent model.AgentID) {
	path := hooksSeen(h.Dir(), agent)
	if HooksSeen(h.Dir(), agent) || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
}

// Queued counts the files in a home's hook queue, and those refused.
func Queued(home string) (waiting, refused int) {
	count := func(dir string) int {
		list, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		return len(list)
	}
	return count(queueDir(home)), count(refusedDir(home))
}
