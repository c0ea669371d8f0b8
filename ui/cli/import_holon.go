package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vise/model"
	"vise/store/files"
)

// This file reads the ledger of a Holon agent, to take its work items over. It never writes, locks or creates anything below the directory.
//
// The ledger is a set of JSONL files. Each line is a whole snapshot of a record, and the last line with an id counts. Most fields have the
// names that they have in vise's records. Fields that vise has no place for are counted by their names, in what is left.

// holonLedger is the content of one Holon ledger. Agents are the owners of the records, by id.
type holonLedger struct {
	imported
	Agents []model.Import
}

// holonFile says what is read of a file, and how: the fields of its records that become fields of vise's.
type holonFile struct {
	name, fields string
	take         func(*holonReader, *holonRecord) error
}

const noPlace = "vise has no place for it"

// holonFiles are the files of a ledger, in the order in which they are read: a record comes after those that it names.
var holonFiles = []holonFile{
	{"work_items.jsonl", "revision objective state plan_status plan todo_list blocked_by recheck_at recheck_consumed_at result_summary " +
		"work_refs created_at updated_at", (*holonReader).takeItem},
	{"tasks.jsonl", "status work_item_id summary created_at updated_at", (*holonReader).takeTask},
	{"waiting_intents.jsonl", "status work_item_id description summary source resource condition trigger_count last_triggered_at " +
		"created_at updated_at cancelled_at", (*holonReader).takeWait},
	{"wait_conditions.jsonl", "status work_item_id kind waiting_for subject_ref source wake_sources triggered_at created_at updated_at " +
		"cancelled_at", (*holonReader).takeWait},
	{"timers.jsonl", "status summary next_fire_at created_at", (*holonReader).takeWait},
	{"messages.jsonl", "kind origin body text priority work_item_id created_at",
		func(r *holonReader, rec *holonRecord) error { r.messages[rec.ID] = rec; return nil }},
	{"queue_entries.jsonl", "message_id status priority created_at updated_at", (*holonReader).takeMessage},
}

// holonImplied are fields that other fields say too, or that say where Holon keeps its files.
const holonImplied = " id agent_id session_id scope wait_policy workspace_id plan_artifact duration_ms "

// readHolon reads the Holon ledger of an agent's directory: dir/.holon/ledger, or dir/ledger. A malformed line is an error that names its
// file and number, and what vise refuses in a record an error that names the record. Then readHolon returns nothing of the ledger.
func readHolon(ctx context.Context, dir string) (none holonLedger, err error) {
	r, err := openHolon(ctx, dir)
	if err != nil {
		return none, err
	}
	defer r.root.Close()
	for _, f := range holonFiles {
		if err == nil {
			err = r.takeLatest(f)
		}
	}
	if err = cmp.Or(err, r.takeState(), r.countOthers()); err != nil {
		return none, err
	}
	for _, id := range slices.Sorted(maps.Keys(r.agents)) {
		r.out.Agents = append(r.out.Agents, *r.agents[id])
		for _, part := range append(r.agents[id].Parts(importedAtOnce, importedBytes), model.Import{AgentID: id}) {
			if _, err := judged(part, time.Time{}); err != nil {
				return none, bad(r.top+"ledger", err)
			}
		}
	}
	for x, n := range r.left {
		x.Count = n
		r.out.Left = append(r.out.Left, x)
	}
	slices.SortFunc(r.out.Left, func(x, y leftBehind) int { return strings.Compare(x.What, y.What) })
	r.out.Counts.Open = r.out.Counts.WorkItems - r.out.Counts.Completed
	return r.out, nil
}

// holonReader reads one ledger.
type holonReader struct {
	ctx context.Context
	// root is the agent's directory, opened so that no link in it leads out of it. The ledger is in top, a path below it with slashes.
	root   *os.Root
	top    string
	out    holonLedger
	agents map[model.AgentID]*model.Import
	items  map[model.ItemID]model.WorkItem
	// messages are the records of messages.jsonl that no entry of the queue took.
	messages map[string]*holonRecord
	// left counts what is left, by what it is and why.
	left map[leftBehind]int
}

func openHolon(ctx context.Context, dir string) (*holonReader, error) {
	for _, top := range []string{".holon/", ""} {
		ledger := filepath.Join(dir, top, "ledger")
		if info, err := os.Stat(ledger); err == nil && info.IsDir() {
			root, err := os.OpenRoot(dir)
			return &holonReader{ctx: ctx, root: root, top: top, out: holonLedger{imported: imported{Dir: ledger}},
				agents: map[model.AgentID]*model.Import{}, items: map[model.ItemID]model.WorkItem{},
				messages: map[string]*holonRecord{}, left: map[leftBehind]int{}}, err
		}
	}
	return nil, notFound("no Holon ledger in %s: neither .holon/ledger nor ledger is there", dir).
		At("dir", "name the directory of one agent, which holds .holon/ledger or ledger")
}

// agent returns the agent of a record: the owner of the item that it is about, else the agent that it names. It counts the record's fields
// that are left.
func (r *holonReader) agent(rec *holonRecord, item model.ItemID) *model.Import {
	for _, name := range rec.unknown {
		r.leave(name, 1, noPlace)
	}
	id := cmp.Or(r.items[item].AgentID, rec.AgentID, rec.SessionID, defaultAgent)
	if r.agents[id] == nil {
		r.agents[id] = &model.Import{AgentID: id}
	}
	return r.agents[id]
}

// leave records that the import does not take over n things, and why.
func (r *holonReader) leave(what string, n int, why string) {
	r.left[leftBehind{What: what, Why: why}] += n
}

// fit cuts a text to limit characters. The last one is then an ellipsis.
func (r *holonReader) fit(t *model.Text, limit int, whose string) {
	if runes := []rune(t.Raw()); len(runes) > limit { // raw: into the ledger, not shown
		*t = model.Text(string(runes[:limit-1]) + "…")
		r.leave(whose+": the end of a text", 1, "vise's texts are shorter")
	}
}

func (r *holonReader) takeItem(rec *holonRecord) error {
	in := struct {
		model.WorkItem
		Plan model.Text  `json:"plan"`
		Refs []model.Ref `json:"work_refs"`
	}{WorkItem: model.WorkItem{State: model.Open, PlanStatus: model.Draft}}
	if err := rec.into(&in); err != nil {
		return err
	}
	a, w := r.agent(rec, ""), in.WorkItem
	w.ID, w.AgentID, w.Links.Refs, w.TodoList = model.ItemID(rec.ID), a.AgentID, in.Refs, nil
	switch w.State {
	case "completing": // of newer Holon: its report is still to come
		w.State = model.Open
	case model.Completed:
		r.out.Counts.Completed++
	}
	r.fit(&w.Objective, model.MaxObjective, rec.ID)
	r.fit(&w.BlockedBy, model.MaxBlocker, rec.ID)
	for _, t := range in.TodoList {
		if strings.TrimSpace(t.Text.Raw()) == "" || len(w.TodoList) == model.MaxTodos { // raw: compared, not shown
			r.leave(rec.ID+": todos", 1, fmt.Sprintf("they have no words, or they are more than %d", model.MaxTodos))
			continue
		}
		r.fit(&t.Text, model.MaxTodoText, rec.ID)
		w.TodoList = append(w.TodoList, t)
	}
	if len(in.Refs) > 0 {
		r.leave("work_items.jsonl: why and since when an item has a reference", len(in.Refs), noPlace)
	}
	a.Items, r.items[w.ID] = append(a.Items, model.Imported{Item: w, Plan: r.plan(rec.ID, in.Plan)}), w
	r.out.Counts.WorkItems++
	return nil
}

// plan returns an item's plan: its plan.md in the agent's directory, else the text in the record, which is out of date if the file says
// something.
// It does not follow the path in the record, which can be from another machine or lead anywhere.
func (r *holonReader) plan(item string, inline model.Text) model.Text {
	raw, err := r.small("work-items/"+item+"/plan.md", model.MaxPlanBytes)
	switch {
	case err == nil && len(bytes.TrimSpace(raw)) == 0 && inline != "":
	case err == nil && utf8.Valid(raw):
		if r.out.Counts.PlanFiles++; inline != "" && inline != model.Text(raw) {
			r.leave(item+": the plan's text in its record", 1, "plan.md is there, and counts")
		}
		return model.Text(raw)
	case !files.IsGone(err):
		r.leave(item+": plan.md", 1, "it is not a file of UTF-8 text of at most 8 MiB")
	}
	if inline != "" {
		r.out.Counts.InlinePlans++
	}
	return inline
}

// takeTask imports the purpose and the state of a task. In Holon no task blocks its item.
func (r *holonReader) takeTask(rec *holonRecord) error {
	t := model.Task{Status: model.TaskRunning, Summary: "imported task"}
	if err := rec.into(&t); err != nil {
		return err
	}
	if t.Status == "queued" || t.Status == model.TaskRunning || t.Status == "cancelling" {
		t.Status = model.TaskRunning
		r.out.Counts.Running++
		r.leave("task "+rec.ID+": that it runs", 1, "it is not vise's own; say that it is over by vise task stop "+rec.ID)
	}
	r.fit(&t.Summary, model.MaxReason, "task "+rec.ID)
	a := r.agent(rec, t.WorkItemID)
	t.ID, t.WorkItemID = model.TaskID(rec.ID), r.items[t.WorkItemID].ID
	a.Tasks = append(a.Tasks, t)
	r.out.Counts.Tasks++
	return nil
}

// holonWait is a wait condition, a waiting intent of older Holon, or a timer.
type holonWait struct {
	model.Wait
	Description model.Text `json:"description"`
	Summary     model.Text `json:"summary"`
	Subject     model.Text `json:"subject_ref"`
	TriggeredAt time.Time  `json:"triggered_at"`
	NextFireAt  time.Time  `json:"next_fire_at"`
	Sources     []struct {
		WakeAt time.Time  `json:"wake_at"`
		TaskID model.Text `json:"task_id"`
	} `json:"wake_sources"`
}

// takeWait imports a wait that is not over. A timer is a wait of its agent.
func (r *holonReader) takeWait(rec *holonRecord) error {
	in := holonWait{Wait: model.Wait{Status: model.WaitActive, Kind: model.WaitExternal}}
	if err := rec.into(&in); err != nil {
		return err
	}
	isOver := in.WorkItemID != "" && r.items[in.WorkItemID].State != model.Open
	switch in.Status {
	case model.WaitActive, "triggered", "scheduled":
	case model.WaitCancelled, "resolved", "expired", "completed":
		isOver = true
	default:
		return fmt.Errorf("unknown status %q", model.Text(in.Status))
	}
	switch {
	case strings.HasPrefix(rec.ID, "waiting_intent:"): // it only repeats a waiting intent
		return nil
	case isOver:
		r.leave(rec.file+": what is over, or is of no open work item", 1, "it waits for nothing any more")
		return nil
	case rec.file == "timers.jsonl":
		in.Kind = model.WaitTimer
		r.out.Counts.Timers++
	}
	x := in.Wait
	x.ID, x.Status, x.Deliver = model.WaitID(rec.ID), model.WaitActive, model.DeliverWakeHint
	x.Reason = cmp.Or(x.Reason, in.Description, in.Summary, "imported "+model.Text(x.Kind)+" wait")
	x.Resource = cmp.Or(x.Resource, in.Subject)
	if !in.TriggeredAt.IsZero() {
		x.TriggerCount, x.LastTriggeredAt = 1, in.TriggeredAt
	}
	for _, s := range in.Sources {
		x.WakeAt = cmp.Or(x.WakeAt, s.WakeAt)
		if x.Kind == model.WaitTask {
			x.Resource = cmp.Or(x.Resource, s.TaskID)
		}
	}
	x.WakeAt = cmp.Or(x.WakeAt, in.NextFireAt)
	for _, t := range []*model.Text{&x.Reason, &x.Resource, &x.Source, &x.Condition} {
		r.fit(t, model.MaxWaitText, "wait "+rec.ID)
	}
	a := r.agent(rec, x.WorkItemID)
	a.Waits = append(a.Waits, x)
	r.out.Counts.Waits++
	return nil
}

// takeMessage imports the message of an entry of the queue that no turn has read to its end. All other messages were read.
func (r *holonReader) takeMessage(entry *holonRecord) error {
	var in struct {
		model.Message
		Kind   string          `json:"kind"`
		Body   json.RawMessage `json:"body"`
		Words  model.Text      `json:"text"`
		Origin struct {
			Kind   model.Text `json:"kind"`
			Source model.Text `json:"source"`
		} `json:"origin"`
	}
	rec := cmp.Or(r.messages[entry.ID], entry)
	if err := cmp.Or(rec.into(&in), entry.into(&in)); err != nil { // the entry's priority counts
		return err
	}
	switch in.Status {
	case "processed", "interjected", "aborted", "interrupted", "dropped":
		return nil
	case "queued", "dequeued":
		delete(r.messages, entry.ID)
	default:
		return fmt.Errorf("unknown status %q", model.Text(in.Status))
	}
	if slices.Contains([]string{"system_tick", "task_status", "control", "brief_ack", "brief_result"}, in.Kind) {
		r.leave("messages.jsonl: "+in.Kind, 1, "vise's scheduler says such things itself")
		return nil
	}
	m, a, whose := in.Message, r.agent(rec, ""), "message "+entry.ID
	m.ID, m.Body, m.Status, m.Origin = model.MessageID(entry.ID), cmp.Or(holonBody(in.Body), in.Words), "", "external:holon"
	m.Priority = cmp.Or(m.Priority, model.Normal)
	if m.Source = cmp.Or(in.Origin.Source, in.Origin.Kind, model.Text(in.Kind)); in.Kind == "operator_prompt" && m.Source == "operator" {
		m.Origin, m.Source = model.Operator, ""
	}
	if m.Priority == model.Interject && m.Origin != model.Operator { // only the operator interjects
		m.Priority = model.Next
	}
	if r.items[m.WorkItemID].AgentID != a.AgentID {
		m.WorkItemID = ""
	}
	r.fit(&m.Source, model.MaxWaitText, whose)
	if len(m.Body) > model.MaxMessage {
		r.fit(&m.Body, model.MaxMessage/utf8.UTFMax, whose)
	}
	if strings.TrimSpace(m.Body.Raw()) == "" { // raw: compared, not shown
		r.leave(whose, 1, "it has no words")
		return nil
	}
	a.Messages = append(a.Messages, m)
	r.out.Counts.Messages++
	return nil
}

// holonBody returns the text of a message's body, or its value as JSON.
func holonBody(raw json.RawMessage) model.Text {
	var b struct {
		Title model.Text      `json:"title"`
		Text  model.Text      `json:"text"`
		Value json.RawMessage `json:"value"`
	}
	_ = json.Unmarshal(raw, &b) // a body that cannot be parsed has no text
	text := cmp.Or(b.Text, model.Text(b.Value))
	if b.Title != "" {
		text = b.Title + "\n\n" + text
	}
	return text
}

// takeState imports the agent, also one that has nothing, and its current item.
func (r *holonReader) takeState() error {
	var s struct {
		Status string       `json:"status"`
		Focus  model.ItemID `json:"current_work_item_id"`
	}
	raw, err := r.small(r.top+"state/agent.json", maxHolonFile)
	if files.IsGone(err) {
		raw, err = []byte("{}"), nil
	}
	rec, wrong := decodeHolon(holonFile{name: "agent.json", fields: "status current_work_item_id"}, raw)
	if err = cmp.Or(err, wrong, rec.into(&s)); err != nil {
		return bad(r.top+"state/agent.json", err)
	}
	if rec.AgentID = model.AgentID(rec.ID); rec.ID == "" && len(r.agents) > 0 {
		rec.AgentID = slices.Min(slices.Collect(maps.Keys(r.agents)))
	}
	r.agent(rec, "")
	if w, ok := r.items[s.Focus]; ok && w.State == model.Open {
		r.agents[w.AgentID].Focus = w.ID
	}
	if s.Status == "stopped" || s.Status == "paused" {
		r.leave("that the agent is stopped", 1, "here it is awake; vise agents stop NAME stops it")
	}
	return nil
}

// holonRecord is the last snapshot of an id.
type holonRecord struct {
	ID        string        `json:"id"`
	MessageID string        `json:"message_id"` // the id of an entry of the queue
	AgentID   model.AgentID `json:"agent_id"`
	SessionID model.AgentID `json:"session_id"` // agent_id in older records
	// file is where it is from, place also says the line.
	file, place string
	// known are the fields that are read; unknown names the others.
	known   map[string]json.RawMessage
	unknown []string
}

// decodeHolon splits a line into the fields that are read and the others.
func decodeHolon(f holonFile, line []byte) (*holonRecord, error) {
	rec := &holonRecord{file: f.name}
	err := json.Unmarshal(line, &rec.known)
	if err == nil && rec.known == nil {
		err = errors.New("not a JSON object")
	}
	for name := range rec.known {
		named := func(list string) bool { return strings.Contains(" "+list+" ", " "+name+" ") }
		if named(f.fields) {
			continue
		}
		if delete(rec.known, name); !named(holonImplied) {
			rec.unknown = append(rec.unknown, f.name+": "+name)
		}
	}
	return rec, cmp.Or(err, json.Unmarshal(line, rec))
}

// into decodes the fields that are read.
func (rec *holonRecord) into(out any) error {
	raw, _ := json.Marshal(rec.known) // these were just decoded
	err := json.Unmarshal(raw, out)
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return fmt.Errorf("field %s: it cannot be a %s", wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:], wrong.Value)
	}
	return err
}

// takeLatest takes the last snapshot of each record of a file, in the order in which the ids first appear.
func (r *holonReader) takeLatest(f holonFile) error {
	var last []*holonRecord
	at := map[string]int{}
	err := r.lines(f.name, func(place string, line []byte) error {
		rec, err := decodeHolon(f, line)
		if rec.ID, rec.place = cmp.Or(rec.ID, rec.MessageID), place; err == nil && rec.ID == "" {
			err = errors.New("no id")
		}
		if i, known := at[rec.ID]; known {
			last[i] = rec
		} else {
			at[rec.ID], last = len(last), append(last, rec)
		}
		return err
	})
	for i := 0; i < len(last) && err == nil; i++ {
		if err = f.take(r, last[i]); err != nil {
			err = bad(last[i].place, err)
		}
	}
	return err
}

const maxHolonFile = 1 << 30 // bytes

// lines calls visit with each line of a ledger's file that is not blank, and its place. A missing file has no lines.
func (r *holonReader) lines(file string, visit func(place string, line []byte) error) error {
	name, n := r.top+"ledger/"+file, 0
	raw, err := r.small(name, maxHolonFile)
	if err != nil && !files.IsGone(err) {
		return bad(name, err)
	}
	for line := range bytes.Lines(raw) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		place := fmt.Sprintf("%s, line %d", name, n)
		if err := cmp.Or(r.ctx.Err(), visit(place, line)); err != nil {
			return bad(place, err)
		}
	}
	return nil
}

// small returns the content of a regular file that is not larger than limit.
func (r *holonReader) small(name string, limit int64) ([]byte, error) {
	info, err := r.root.Stat(name)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > limit) {
		err = errors.New("not a regular file, or too large")
	}
	if err != nil {
		return nil, err
	}
	return r.root.ReadFile(name)
}

// bad returns an error that names the place of its cause.
func bad(place string, cause error) error {
	return misuse("dir", "%s: %v", place, cause).
		WithHint("nothing was imported; repair that in a copy of the ledger and import the copy")
}

// countOthers counts the records that are not imported. It does not check their lines.
func (r *holonReader) countOthers() error {
	if n := len(r.messages); n > 0 {
		r.leave("messages.jsonl: messages that no turn is to read", n, "they were read, dropped or never queued")
	}
	entries, err := fs.ReadDir(r.root.FS(), r.top+"ledger")
	for _, e := range entries {
		if slices.ContainsFunc(holonFiles, func(f holonFile) bool { return f.name == e.Name() }) {
			continue
		}
		n := 0
		if strings.HasSuffix(e.Name(), ".jsonl") {
			err = cmp.Or(err, r.lines(e.Name(), func(string, []byte) error { n++; return nil }))
		}
		r.leave(e.Name(), n, "vise takes nothing over from it; it stays with Holon")
	}
	return err
}
