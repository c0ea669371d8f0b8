package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"vise/model"
)

// readItems takes over work_items.jsonl.
func (r *holonReader) readItems() error {
	const file = "work_items.jsonl"
	records, superseded, err := r.latest(file)
	if err != nil {
		return err
	}
	r.owner, r.completed = map[model.ItemID]model.AgentID{}, map[model.ItemID]bool{}
	r.ledger.Counts.Superseded = superseded
	for _, rec := range records {
		in, err := r.item(rec)
		if err != nil {
			return r.malformed(r.home.ledger+"/"+file, rec.line, err)
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
	return nil
}

// item makes a WorkItem of a record. What it does not take stays in rec.fields and is kept.
func (r *holonReader) item(rec holonRecord) (model.Imported, error) {
	w := model.WorkItem{ID: model.ItemID(rec.id), PlanStatus: model.Draft}
	if !model.ValidID(rec.id) {
		return model.Imported{}, fmt.Errorf("id %q is not usable: use 1 to 64 of a-z, 0-9, - and _", model.Text(rec.id))
	}
	if err := takeItem(rec.holonFields, &w); err != nil {
		return model.Imported{}, err
	}
	var err error
	if w.AgentID, err = takeAgent(rec.holonFields); err != nil {
		return model.Imported{}, err
	}
	if err := r.takeState(rec.holonFields, &w); err != nil {
		return model.Imported{}, err
	}
	if err := r.takeTexts(rec.holonFields, &w); err != nil {
		return model.Imported{}, err
	}
	if w.ResultSummary == "" && w.State == model.Completed {
		w.ResultSummary = r.reports[w.ID]
	}
	plan, err := r.plan(rec.holonFields, w.ID)
	if err != nil {
		return model.Imported{}, err
	}
	if err := takeRefs(rec.holonFields, &w); err != nil {
		return model.Imported{}, err
	}
	r.keep(w.ID, rec.holonFields)
	return model.Imported{Item: w, Plan: plan}, nil
}

func takeItem(f holonFields, w *model.WorkItem) error {
	if err := takeField(f, "revision", &w.Revision); err != nil {
		return err
	}
	if err := takeField(f, "plan_status", &w.PlanStatus); err != nil {
		return err
	}
	for key, out := range map[string]*model.Text{"blocked_by": &w.BlockedBy, "result_summary": &w.ResultSummary} {
		if err := takeField(f, key, out); err != nil {
			return err
		}
	}
	if err := takeField(f, "recheck_at", &w.RecheckAt); err != nil {
		return err
	}
	if err := takeField(f, "recheck_consumed_at", &w.RecheckConsumedAt); err != nil {
		return err
	}
	if err := takeField(f, "created_at", &w.CreatedAt); err != nil {
		return err
	}
	return takeField(f, "updated_at", &w.UpdatedAt)
}

// takeAgent reads the owner, also by its older name.
func takeAgent(f holonFields) (model.AgentID, error) {
	var id, session model.AgentID
	if err := takeFields(f, map[string]*model.AgentID{"agent_id": &id, "session_id": &session}); err != nil {
		return "", err
	}
	if id == "" {
		id = session
	}
	if id == "" {
		id = defaultAgent
	}
	if !model.ValidID(string(id)) {
		return "", fmt.Errorf("agent id %q is not usable: use 1 to 64 of a-z, 0-9, - and _", model.Text(id))
	}
	return id, nil
}

// takeState reads the state. Newer Holon knows one between open and completed; there is
// none here, and the item is still open.
func (r *holonReader) takeState(f holonFields, w *model.WorkItem) error {
	state := string(model.Open)
	if err := takeField(f, "state", &state); err != nil {
		return err
	}
	switch state {
	case string(model.Open), string(model.Completed):
		w.State = model.State(state)
	case "completing":
		w.State = model.Open
		f["state"] = json.RawMessage(`"completing"`)
	default:
		return fmt.Errorf("unknown state %q", model.Text(state))
	}
	switch w.PlanStatus {
	case model.Draft, model.Ready, model.NeedsInput:
		return nil
	}
	return fmt.Errorf("unknown plan_status %q", model.Text(w.PlanStatus))
}

// takeTexts reads the objective and the checklist. What is over vise's limits is
// shortened, and kept whole beside.
func (r *holonReader) takeTexts(f holonFields, w *model.WorkItem) error {
	objective := f["objective"]
	if err := takeField(f, "objective", &w.Objective); err != nil {
		return err
	}
	if strings.TrimSpace(string(w.Objective)) == "" {
		return fmt.Errorf("work item %s has no objective", w.ID)
	}
	if short, cut := shorten(w.Objective, model.MaxObjective); cut {
		w.Objective, f["objective"] = short, objective
		r.note(w.ID, "objective shortened")
	}
	if short, cut := shorten(w.BlockedBy, model.MaxBlocker); cut {
		f["blocked_by"], _ = json.Marshal(w.BlockedBy)
		w.BlockedBy = short
		r.note(w.ID, "blocked_by shortened")
	}
	return r.takeTodos(f, w)
}

// takeTodos reads the checklist. It is kept whole beside when vise's is not all of it.
func (r *holonReader) takeTodos(f holonFields, w *model.WorkItem) error {
	list := f["todo_list"]
	var todos []holonFields
	if err := takeField(f, "todo_list", &todos); err != nil {
		return err
	}
	for i, rec := range todos {
		t := model.Todo{}
		if err := errors.Join(takeField(rec, "text", &t.Text), takeField(rec, "state", &t.State)); err != nil {
			return fmt.Errorf("todo %d: %w", i+1, err)
		}
		switch t.State {
		case model.TodoPending, model.TodoInProgress, model.TodoCompleted:
		default:
			return fmt.Errorf("todo %d: unknown state %q", i+1, model.Text(t.State))
		}
		text, cut := shorten(t.Text, model.MaxTodoText)
		fits := strings.TrimSpace(string(text)) != "" && len(w.TodoList) < model.MaxTodos
		if fits {
			w.TodoList = append(w.TodoList, model.Todo{Text: text, State: t.State})
		}
		if cut || !fits || len(rec) > 0 {
			f["todo_list"] = list
		}
		if cut || !fits {
			r.note(w.ID, fmt.Sprintf("todo %d shortened or left out", i+1))
		}
	}
	return nil
}

// takeRefs makes links of the references that newer Holon keeps.
func takeRefs(f holonFields, w *model.WorkItem) error {
	var refs []model.Ref
	whole := f["work_refs"]
	if err := takeField(f, "work_refs", &refs); err != nil {
		return err
	}
	if len(refs) > 0 {
		w.Links.Refs, f["work_refs"] = refs, whole
	}
	return nil
}

// keep remembers the fields that nobody took.
func (r *holonReader) keep(id model.ItemID, f holonFields) {
	var workspace string
	if json.Unmarshal(f["workspace_id"], &workspace) == nil && strings.HasPrefix(workspace, "agent_home") {
		delete(f, "workspace_id")
	}
	if len(f) > 0 {
		r.kept[id] = f
	}
}

// attachKept stores what was kept of an item in a Ref of it.
func (r *holonReader) attachKept() {
	r.ledger.Counts.KeptFields = len(r.kept)
	for _, a := range r.agents {
		for i, in := range a.Items {
			if f, ok := r.kept[in.Item.ID]; ok {
				raw, _ := json.Marshal(f) // RawMessages that were just decoded
				ref := model.Ref{Kind: holonRefKind, Ref: model.Text(raw), Title: "holonFields of the Holon holonRecord"}
				a.Items[i].Item.Links.Refs = append(in.Item.Links.Refs, ref)
			}
		}
	}
}

func (r *holonReader) note(id model.ItemID, what string) {
	r.ledger.Notes = append(r.ledger.Notes, string(id)+": "+what)
}

// shorten cuts t after limit scalars, the last of which is then an ellipsis.
func shorten(t model.Text, limit int) (model.Text, bool) {
	if utf8.RuneCountInString(string(t)) <= limit {
		return t, false
	}
	runes := []rune(string(t))
	return model.Text(string(runes[:limit-1]) + "…"), true
}
