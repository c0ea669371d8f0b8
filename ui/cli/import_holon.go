package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"vise/model"
)

// This file and those beside it read the ledger of a Holon agent, to take its WorkItems over. It only
// reads: nothing below the directory it is given is ever written, locked or created.
//
// The ledger is a set of JSONL files in which each line is a whole snapshot of a record
// and the last line of an id counts. What vise has a place for becomes a model record;
// the other fields of a WorkItem stay with it, as JSON, in a Ref of kind holonRefKind.

// holonRefKind is the kind of the Ref that keeps the fields of a record for which a WorkItem
// of vise has none.
const holonRefKind = "holon"

// holonLedger is what one Holon ledger holds.
type holonLedger struct {
	// Dir is the directory of the JSONL files.
	Dir string
	// Agents are the owners of what was found, by id.
	Agents []holonAgent
	Counts holonCounts
	// Notes say what was shortened to fit vise's limits; the whole text is in the Ref.
	Notes []string
}

// holonAgent is what one agent brings.
type holonAgent struct {
	ID    model.AgentID
	Focus model.ItemID
	Items []model.Imported
	Waits []model.Wait
}

// holonCounts tell what a ledger holds.
type holonCounts struct {
	WorkItems int `json:"work_items"`
	Open      int `json:"open"`
	Completed int `json:"completed"`
	// Superseded counts the older snapshots of WorkItems.
	Superseded  int `json:"superseded_snapshots"`
	Waits       int `json:"waits"`
	ActiveWaits int `json:"active_waits"`
	// InlinePlans come from the records, PlanFiles from plan.md files of the agent's home.
	InlinePlans int `json:"inline_plans"`
	PlanFiles   int `json:"plan_files"`
	// KeptFields counts the WorkItems with fields that vise has no place for.
	KeptFields int `json:"items_with_kept_fields"`
	// Left are the lines of the files that are not taken over, by file name.
	Left map[string]int `json:"left_lines,omitempty"`
}

// readHolon reads the Holon ledger of an agent's directory: dir/.holon/ledger, dir/ledger, or
// dir itself. A malformed line is an error that names its file and number; nothing of the
// ledger is returned then.
func readHolon(dir string) (holonLedger, error) {
	home, err := findHolon(dir)
	if err != nil {
		return holonLedger{}, err
	}
	defer home.root.Close()
	r := &holonReader{home: home, agents: map[model.AgentID]*holonAgent{}, reports: map[model.ItemID]model.Text{},
		kept: map[model.ItemID]map[string]json.RawMessage{}}
	r.ledger.Dir = filepath.Join(dir, filepath.FromSlash(home.ledger))
	for _, step := range []func() error{r.readReports, r.readItems, r.readWaits, r.readFocus, r.countOthers} {
		if err := step(); err != nil {
			return holonLedger{}, err
		}
	}
	r.attachKept()
	for _, id := range slices.Sorted(maps.Keys(r.agents)) {
		r.ledger.Agents = append(r.ledger.Agents, *r.agents[id])
	}
	return r.ledger, nil
}

// holonHome is an agent's directory, opened so that no link in it leads out of it.
type holonHome struct {
	root *os.Root
	// ledger and states are paths below root, with slashes.
	ledger string
	states []string
}

// holonLayouts are where a ledger and the agent's state may lie below the directory given.
var holonLayouts = []holonHome{
	{ledger: ".holon/ledger", states: []string{".holon/state/agent.json"}},
	{ledger: "ledger", states: []string{"state/agent.json", "agent.json"}},
}

func findHolon(dir string) (holonHome, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return holonHome{}, model.Refuse(model.CodeNotFound, "no Holon home at %s", model.Text(dir)).Because(err).At("dir").
			WithHint("name the directory that holds .holon/ledger or ledger")
	}
	for _, h := range holonLayouts {
		if info, err := root.Stat(h.ledger); err == nil && info.IsDir() {
			h.root = root
			return h, nil
		}
	}
	defer root.Close()
	return holonHome{}, model.Refuse(model.CodeNotFound, "no Holon ledger in %s: neither .holon/ledger nor ledger is there",
		model.Text(dir)).
		At("dir").WithHint("%s", otherHolonAgents(dir))
}

// otherHolonAgents names agents' directories below dir, if it is a home of several.
func otherHolonAgents(dir string) string {
	found, _ := filepath.Glob(filepath.Join(dir, "agents", "*", ".holon", "ledger"))
	if len(found) == 0 {
		return "name the directory that holds .holon/ledger or ledger"
	}
	for i, path := range found {
		found[i] = model.Text(filepath.Dir(filepath.Dir(path))).String()
	}
	return "import an agent at a time: " + strings.Join(found, ", ")
}

// holonReader is one reading under way.
type holonReader struct {
	home   holonHome
	ledger holonLedger
	agents map[model.AgentID]*holonAgent
	// owner and completed know the items that were read.
	owner     map[model.ItemID]model.AgentID
	completed map[model.ItemID]bool
	// reports are the newest completion reports that stand outside of the items.
	reports map[model.ItemID]model.Text
	// kept are the fields for which vise has no place, those of an item's waits too.
	kept map[model.ItemID]map[string]json.RawMessage
}

func (r *holonReader) agent(id model.AgentID) *holonAgent {
	a, ok := r.agents[id]
	if !ok {
		a = &holonAgent{ID: id}
		r.agents[id] = a
	}
	return a
}

// readFocus takes over which item the agent worked on.
func (r *holonReader) readFocus() error {
	for _, name := range r.home.states {
		raw, err := r.home.root.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return r.unreadable(name, err)
		}
		var state struct {
			Focus model.ItemID `json:"current_work_item_id"`
		}
		if err := json.Unmarshal(raw, &state); err != nil {
			return r.malformed(name, 1, err)
		}
		focus := state.Focus
		if owner, ok := r.owner[focus]; ok && !r.completed[focus] {
			r.agent(owner).Focus = focus
		}
		return nil
	}
	return nil
}

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

// mirrorPrefix starts the id of a wait condition that only repeats a waiting intent.
const holonMirrorPrefix = "waiting_intent:"

// readWaits takes over both ways in which Holon has kept waits.
func (r *holonReader) readWaits() error {
	for _, kind := range []struct {
		file string
		read func(*holonRecord, *model.Wait)
	}{{"waiting_intents.jsonl", holonIntent}, {"wait_conditions.jsonl", holonCondition}} {
		records, _, err := r.latest(kind.file)
		if err != nil {
			return err
		}
		for _, rec := range records {
			if strings.HasPrefix(rec.id, holonMirrorPrefix) {
				continue
			}
			if r.takeWait(rec, kind.read); rec.err != nil {
				return r.malformed(r.home.ledger+"/"+kind.file, rec.line, rec.err)
			}
		}
	}
	return nil
}

// takeWait gives a wait to its agent. A completed item waits for nothing any more.
func (r *holonReader) takeWait(rec *holonRecord, read func(*holonRecord, *model.Wait)) {
	agent := rec.owner()
	x := model.Wait{ID: model.WaitID(rec.id), Deliver: model.DeliverWakeHint, Status: model.WaitActive, Kind: model.WaitExternal}
	rec.takeWait(&x)
	read(rec, &x)
	if owner, ok := r.owner[x.WorkItemID]; ok {
		agent = owner
	}
	if r.completed[x.WorkItemID] && x.Status == model.WaitActive {
		x.Status, x.CancelReason = model.WaitCancelled, "work_item_completed"
	}
	if x.Reason == "" {
		x.Reason = "imported wait"
	}
	r.keepOfWait(x, rec.fields)
	r.agent(agent).Waits = append(r.agent(agent).Waits, x)
	r.ledger.Counts.Waits++
	if x.Status == model.WaitActive {
		r.ledger.Counts.ActiveWaits++
	}
}

// keepOfWait keeps a wait's other fields with its item. An agent's own wait has none.
func (r *holonReader) keepOfWait(x model.Wait, f map[string]json.RawMessage) {
	if len(f) == 0 {
		return
	}
	if _, ok := r.owner[x.WorkItemID]; !ok {
		r.ledger.Notes = append(r.ledger.Notes, string(x.ID)+": a wait without a work item; its other fields stay in Holon")
		return
	}
	if r.kept[x.WorkItemID] == nil {
		r.kept[x.WorkItemID] = map[string]json.RawMessage{}
	}
	raw, _ := json.Marshal(f) // RawMessages that were just decoded
	r.kept[x.WorkItemID]["wait "+string(x.ID)] = raw
}

// takeWait takes the fields that both kinds of waits have.
func (rec *holonRecord) takeWait(x *model.Wait) {
	status := string(model.WaitActive)
	for key, out := range map[string]any{
		"status": &status, "created_at": &x.CreatedAt, "updated_at": &x.UpdatedAt, "cancelled_at": &x.CancelledAt,
		"work_item_id": &x.WorkItemID, "source": &x.Source,
	} {
		rec.take(key, out)
	}
	delete(rec.fields, "scope") // work_item_id says it
	switch status {
	case "active", "triggered":
	case "cancelled", "resolved", "expired":
		x.Status, x.CancelReason = model.WaitCancelled, status
	default:
		rec.fail("unknown status %q", model.Text(status))
	}
}

// holonCondition reads a wait condition.
func holonCondition(rec *holonRecord, x *model.Wait) {
	rec.take("kind", &x.Kind)
	switch x.Kind {
	case model.WaitTask, model.WaitExternal, model.WaitOperator, model.WaitTimer, model.WaitSystem:
	default:
		rec.fail("unknown kind %q", model.Text(x.Kind))
	}
	rec.take("waiting_for", &x.Reason)
	rec.take("subject_ref", &x.Resource)
	if rec.take("triggered_at", &x.LastTriggeredAt); !x.LastTriggeredAt.IsZero() {
		x.TriggerCount = 1
	}
	var sources []struct {
		WakeAt time.Time `json:"wake_at"`
	}
	_ = json.Unmarshal(rec.fields["wake_sources"], &sources) // kept as it is, where it does not read
	for _, s := range sources {
		if x.WakeAt.IsZero() {
			x.WakeAt = s.WakeAt
		}
	}
}

// holonIntent reads a waiting intent of older Holon.
func holonIntent(rec *holonRecord, x *model.Wait) {
	var summary model.Text
	for key, out := range map[string]any{
		"description": &x.Reason, "summary": &summary, "resource": &x.Resource, "condition": &x.Condition,
		"trigger_count": &x.TriggerCount, "last_triggered_at": &x.LastTriggeredAt,
	} {
		rec.take(key, out)
	}
	x.Reason = cmp.Or(x.Reason, summary)
}
