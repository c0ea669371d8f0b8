package cli

import (
	"encoding/json"
	"errors"
	"io"
	"path"
	"syscall"
	"time"
	"unicode/utf8"

	"vise/model"
)

// plan is an item's plan: the text in older records, else the file that the record
// describes, as far as it lies in the agent's directory and is text.
func (r *holonReader) plan(rec *holonRecord, id model.ItemID) model.Text {
	var inline model.Text
	if rec.take("plan", &inline); inline != "" {
		r.ledger.Counts.InlinePlans++
		delete(rec.fields, "plan_artifact")
		return inline
	}
	if _, described := rec.fields["plan_artifact"]; !described {
		return ""
	}
	text, err := r.planFile(id)
	if err != nil {
		r.note(id, "plan file not found or not text; its description is kept")
		return ""
	}
	r.ledger.Counts.PlanFiles++
	delete(rec.fields, "plan_artifact")
	return text
}

// planFile reads the plan at its only place in an agent's directory. The path that the
// record tells is not followed: it may be of another machine, or lead anywhere.
func (r *holonReader) planFile(id model.ItemID) (model.Text, error) {
	f, err := r.home.root.OpenFile(path.Join("work-items", string(id), "plan.md"), syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, errors.New("not a regular file"))
	}
	raw, err := io.ReadAll(io.LimitReader(f, model.MaxPlanBytes+1))
	if err == nil && (len(raw) > model.MaxPlanBytes || !utf8.Valid(raw)) {
		err = errors.New("too large, or not text")
	}
	return model.Text(raw), err
}

// readReports finds the completion reports of items whose records do not carry them: the
// newest delivery summary, else the newest result brief.
func (r *holonReader) readReports() error {
	for _, file := range []string{"briefs.jsonl", "delivery_summaries.jsonl"} {
		newest := map[model.ItemID]time.Time{}
		err := r.lines(file, func(_ int, line []byte) error {
			var b struct {
				Kind       string       `json:"kind"`
				WorkItemID model.ItemID `json:"work_item_id"`
				Text       model.Text   `json:"text"`
				CreatedAt  time.Time    `json:"created_at"`
			}
			if err := json.Unmarshal(line, &b); err != nil {
				return err
			}
			isReport := b.Kind == "" || b.Kind == "result"
			if isReport && b.WorkItemID != "" && b.Text != "" && !b.CreatedAt.Before(newest[b.WorkItemID]) {
				newest[b.WorkItemID], r.reports[b.WorkItemID] = b.CreatedAt, b.Text
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
