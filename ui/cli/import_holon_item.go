package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"vise/model"
)

// readItems imports work_items.jsonl.
func (r *holonReader) readItems() (err error) {
	r.owner, r.completed = map[model.ItemID]model.AgentID{}, map[model.ItemID]bool{}
	r.ledger.Counts.Superseded, err = r.eachLatest("work_items.jsonl", r.takeItem)
	return err
}

func (r *holonReader) takeItem(rec *holonRecord) {
	in := r.item(rec)
	if rec.err != nil {
		return
	}
	w := in.Item
	r.owner[w.ID], r.completed[w.ID] = w.AgentID, w.State == model.Completed
	r.agent(w.AgentID).Items = append(r.agent(w.AgentID).Items, in)
	r.ledger.Counts.WorkItems++
	if w.State == model.Completed {
		r.ledger.Counts.Completed++
	} else {
		r.ledger.Counts.Open++
	}
}

// item makes a work item from a record. Fields that it does not take stay in rec.fields and are kept.
func (r *holonReader) item(rec *holonRecord) model.Imported {
	w := model.WorkItem{ID: model.ItemID(rec.id), AgentID: rec.owner(), PlanStatus: model.Draft}
	for key, out := range map[string]any{
		"revision": &w.Revision, "plan_status": &w.PlanStatus, "blocked_by": &w.BlockedBy, "result_summary": &w.ResultSummary,
		"recheck_at": &w.RecheckAt, "recheck_consumed_at": &w.RecheckConsumedAt, "created_at": &w.CreatedAt, "updated_at": &w.UpdatedAt,
	} {
		rec.take(key, out)
	}
	rec.takeState(&w)
	r.takeTexts(rec, &w)
	r.takeTodos(rec, &w)
	if w.ResultSummary == "" && w.State == model.Completed {
		w.ResultSummary = r.reports[w.ID]
	}
	plan := r.plan(rec, w.ID)
	if refs := rec.fields["work_refs"]; len(refs) > 0 {
		if rec.take("work_refs", &w.Links.Refs); len(w.Links.Refs) > 0 {
			rec.fields["work_refs"] = refs // all of them: newer Holon keeps more references there
		}
	}
	r.keep(w.ID, rec.fields)
	return model.Imported{Item: w, Plan: plan}
}

// owner reads the record's owner, also under the older field name, and checks both ids.
func (rec *holonRecord) owner() model.AgentID {
	var id, session model.AgentID
	rec.take("agent_id", &id)
	rec.take("session_id", &session)
	id = cmp.Or(id, session, defaultAgent)
	for _, x := range []string{rec.id, string(id)} {
		if !model.ValidID(x) {
			rec.fail("id %q is not usable: use 1 to 64 of a-z, 0-9, - and _", model.Text(x))
		}
	}
	return id
}

// takeState reads the state. Newer Holon has a state between open and completed. vise does not, and the item is still open.
func (rec *holonRecord) takeState(w *model.WorkItem) {
	state := string(model.Open)
	rec.take("state", &state)
	switch state {
	case string(model.Open), string(model.Completed):
		w.State = model.State(state)
	case "completing":
		w.State = model.Open
		rec.fields["state"] = json.RawMessage(`"completing"`)
	default:
		rec.fail("unknown state %q", model.Text(state))
	}
	switch w.PlanStatus {
	case model.Draft, model.Ready, model.NeedsInput:
	default:
		rec.fail("unknown plan_status %q", model.Text(w.PlanStatus))
	}
}

// takeTexts reads the objective and the blocker. A text over vise's limits is shortened, and the whole text is kept in the Ref.
func (r *holonReader) takeTexts(rec *holonRecord, w *model.WorkItem) {
	objective := rec.fields["objective"]
	if rec.take("objective", &w.Objective); strings.TrimSpace(w.Objective.Raw()) == "" { // raw: compared, not shown
		rec.fail("work item %s has no objective", w.ID)
	}
	if short, cut := shorten(w.Objective, model.MaxObjective); cut {
		w.Objective, rec.fields["objective"] = short, objective
		r.note(w.ID, "objective shortened")
	}
	if short, cut := shorten(w.BlockedBy, model.MaxBlocker); cut {
		rec.fields["blocked_by"], _ = json.Marshal(w.BlockedBy)
		w.BlockedBy = short
		r.note(w.ID, "blocked_by shortened")
	}
}

// takeTodos reads the checklist. If vise's checklist cannot hold all of it, the whole checklist is kept in the Ref.
func (r *holonReader) takeTodos(rec *holonRecord, w *model.WorkItem) {
	list := rec.fields["todo_list"]
	var todos []map[string]json.RawMessage
	rec.take("todo_list", &todos)
	for i, fields := range todos {
		t, one := model.Todo{}, holonRecord{fields: fields}
		one.take("text", &t.Text)
		one.take("state", &t.State)
		switch t.State {
		case model.TodoPending, model.TodoInProgress, model.TodoCompleted:
		default:
			one.fail("unknown state %q", model.Text(t.State))
		}
		if one.err != nil {
			rec.fail("todo %d: %w", i+1, one.err)
		}
		text, cut := shorten(t.Text, model.MaxTodoText)
		fits := strings.TrimSpace(text.Raw()) != "" && len(w.TodoList) < model.MaxTodos // raw: compared, not shown
		if fits {
			w.TodoList = append(w.TodoList, model.Todo{Text: text, State: t.State})
		}
		if cut || !fits || len(fields) > 0 {
			rec.fields["todo_list"] = list
		}
		if cut || !fits {
			r.note(w.ID, fmt.Sprintf("todo %d shortened or left out", i+1))
		}
	}
}

// keep remembers the fields that were not taken.
func (r *holonReader) keep(id model.ItemID, f map[string]json.RawMessage) {
	var workspace string
	if json.Unmarshal(f["workspace_id"], &workspace) == nil && strings.HasPrefix(workspace, "agent_home") {
		delete(f, "workspace_id")
	}
	if len(f) > 0 {
		r.kept[id] = f
	}
}

// attachKept stores an item's kept fields in a Ref of the item.
func (r *holonReader) attachKept() {
	r.ledger.Counts.KeptFields = len(r.kept)
	for _, a := range r.agents {
		for i, in := range a.Items {
			if f, ok := r.kept[in.Item.ID]; ok {
				raw, _ := json.Marshal(f) // these RawMessages were just decoded
				ref := model.Ref{Kind: holonRefKind, Ref: model.Text(raw), Title: "fields of the Holon record"}
				a.Items[i].Item.Links.Refs = append(in.Item.Links.Refs, ref)
			}
		}
	}
}

func (r *holonReader) note(id model.ItemID, what string) {
	r.ledger.Notes = append(r.ledger.Notes, string(id)+": "+what)
}

// shorten cuts t to limit scalars. The last one is then an ellipsis.
func shorten(t model.Text, limit int) (model.Text, bool) {
	raw := t.Raw() // raw: into the ledger, not shown
	if utf8.RuneCountInString(raw) <= limit {
		return t, false
	}
	runes := []rune(raw)
	return model.Text(string(runes[:limit-1]) + "…"), true
}

// maxHolonLine is the largest record, in bytes. Holon's own records are much smaller.
const maxHolonLine = 16 << 20

// holonRecord is the last snapshot of an id: its fields that were not taken yet, its line, and its first error.
type holonRecord struct {
	id     string
	line   int
	fields map[string]json.RawMessage
	err    error
}

func decodeRecord(raw []byte) (*holonRecord, error) {
	rec := &holonRecord{}
	err := json.Unmarshal(raw, &rec.fields)
	if err == nil && rec.fields == nil {
		err = errors.New("not a JSON object")
	}
	return rec, err
}

// take reads a field into the value that out points to, and removes the field. An absent or null field leaves the value unchanged.
func (rec *holonRecord) take(key string, out any) {
	raw, ok := rec.fields[key]
	delete(rec.fields, key)
	if !ok || string(raw) == "null" {
		return
	}
	if err := json.Unmarshal(raw, out); err != nil {
		rec.fail("field %s: %w", key, err)
	}
}

// fail keeps the first error.
func (rec *holonRecord) fail(format string, args ...any) {
	if rec.err == nil {
		rec.err = fmt.Errorf(format, args...)
	}
}

// lines calls visit with each line of a ledger's file that is not blank. A missing file has no lines.
func (r *holonReader) lines(file string, visit func(n int, line []byte) error) error {
	name := path.Join(r.home.ledger, file)
	f, err := r.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return r.unreadable(name, err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(make([]byte, 0, 64<<10), maxHolonLine)
	n := 0
	for s.Scan() {
		n++
		line := bytes.TrimSpace(s.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := visit(n, line); err != nil {
			return r.malformed(name, n, err)
		}
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return r.malformed(name, n+1, fmt.Errorf("longer than %d bytes", maxHolonLine))
	} else if err != nil {
		return r.unreadable(name, err)
	}
	return nil
}

// eachLatest calls take with the last snapshot of each record of a file, in the order in which the ids first appear, until a record has an
// error. superseded counts the earlier snapshots.
func (r *holonReader) eachLatest(file string, take func(*holonRecord)) (superseded int, err error) {
	var records []*holonRecord
	at := map[string]int{}
	err = r.lines(file, func(n int, line []byte) error {
		rec, err := decodeRecord(line)
		if err != nil {
			return err
		}
		rec.line = n
		if rec.take("id", &rec.id); rec.id == "" {
			rec.fail("no id")
		}
		if rec.err != nil {
			return rec.err
		}
		if i, known := at[rec.id]; known {
			records[i] = rec
			superseded++
			return nil
		}
		at[rec.id] = len(records)
		records = append(records, rec)
		return nil
	})
	if err != nil {
		return superseded, err
	}
	for _, rec := range records {
		if err := r.ctx.Err(); err != nil {
			return superseded, err
		}
		if take(rec); rec.err != nil {
			return superseded, r.malformed(path.Join(r.home.ledger, file), rec.line, rec.err)
		}
	}
	return superseded, nil
}

// malformed returns an error that names the file and the line.
func (r *holonReader) malformed(name string, line int, cause error) error {
	return model.Refuse(model.CodeInvalid, "%s, line %d: %v", model.Text(name), line, model.Text(cause.Error())).At("dir").
		WithHint("nothing was imported; repair that line in a copy of the ledger and import the copy")
}

func (r *holonReader) unreadable(name string, cause error) error {
	return model.Refuse(model.CodeInvalid, "%s cannot be read: %v", model.Text(name), model.Text(cause.Error())).At("dir").
		WithHint("nothing was imported; make the file readable, or import a copy")
}

// holonFiles maps each file of a ledger to the reason why it is not imported. Files with no reason are imported.
var holonFiles = map[string]string{
	"work_items.jsonl": "", "wait_conditions.jsonl": "", "waiting_intents.jsonl": "", "timers.jsonl": "", "tasks.jsonl": "",
	"messages.jsonl": "", "queue_entries.jsonl": "",
	"briefs.jsonl":                "the newest report of each completed work item is taken from it, nothing else",
	"delivery_summaries.jsonl":    "the newest report of each completed work item is taken from it, nothing else",
	"events.jsonl":                "the history of before stays with Holon",
	"tools.jsonl":                 "the history of before stays with Holon",
	"transcript.jsonl":            "the history of before stays with Holon",
	"external_triggers.jsonl":     "they are addresses of Holon's; vise trigger url makes new ones",
	"work_item_delegations.jsonl": "the work of other agents is not in this ledger; vise delegate makes new ones",
}

// countOthers counts the records that are not imported. It does not check their lines.
func (r *holonReader) countOthers() error {
	entries, err := fs.ReadDir(r.home.root.FS(), r.home.ledger)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r.unreadable(r.home.ledger, err)
	}
	for _, e := range entries {
		why, known := holonFiles[e.Name()]
		if !known {
			why = "vise has no place for it"
		}
		if why == "" {
			continue
		}
		n := 0
		if strings.HasSuffix(e.Name(), ".jsonl") {
			if err := r.lines(e.Name(), func(int, []byte) error { n++; return nil }); err != nil {
				return err
			}
		}
		r.leave(e.Name(), n, why)
	}
	return nil
}
