package cli

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vise/model"
)

// holonState are the imported fields of an agent's state file.
type holonState struct {
	ID     model.AgentID `json:"id"`
	Status string        `json:"status"`
	Focus  model.ItemID  `json:"current_work_item_id"`
	// Hint is news that the agent should have been woken for. Test cases have only its reason.
	Hint       json.RawMessage `json:"pending_wake_hint"`
	HintReason model.Text      `json:"pending_wake_hint_reason"`
}

// readState imports the agent's id, its current item, and its pending wake hint. The agent is imported even if it has nothing.
func (r *holonReader) readState() error {
	s, name, err := r.state()
	if err != nil {
		return err
	}
	if s.ID != "" && !model.ValidID(string(s.ID)) {
		return r.malformed(name, 1, errors.New("the agent's id is not usable: use 1 to 64 of a-z, 0-9, - and _"))
	}
	if s.ID == "" && len(r.agents) == 0 {
		s.ID = defaultAgent
	}
	if s.ID != "" {
		r.agent(s.ID)
	}
	if owner, ok := r.owner[s.Focus]; ok && !r.completed[s.Focus] {
		r.agent(owner).Focus = s.Focus
	}
	if s.Status == "stopped" || s.Status == "paused" {
		r.leave("that the agent is stopped", 1, "here it is awake; vise agents stop NAME stops it")
	}
	first := slices.Min(slices.Collect(maps.Keys(r.agents)))
	if m, ok := s.hint(); ok {
		r.bringMessage(cmp.Or(s.ID, first), m)
	}
	return nil
}

// state reads the state file. It is empty if there is no file.
func (r *holonReader) state() (s holonState, name string, err error) {
	for _, name = range r.home.states {
		raw, err := r.small(name, maxHolonLine)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return s, name, r.unreadable(name, err)
		}
		fields := map[string]json.RawMessage{}
		if err := errors.Join(json.Unmarshal(raw, &s), json.Unmarshal(raw, &fields)); err != nil {
			return s, name, r.malformed(name, 1, err)
		}
		for _, taken := range []string{"id", "status", "current_work_item_id", "pending_wake_hint", "pending_wake_hint_reason"} {
			delete(fields, taken)
		}
		if len(fields) > 0 {
			r.leave(name+": other fields", len(fields), "they are of Holon's own runs")
		}
		return s, name, nil
	}
	return s, name, nil
}

// hint returns the wake hint as a message. Its id is a checksum of its content.
func (s holonState) hint() (model.Message, bool) {
	var h struct {
		Reason      model.Text      `json:"reason"`
		Description model.Text      `json:"description"`
		Source      model.Text      `json:"source"`
		Body        json.RawMessage `json:"body"`
		CreatedAt   time.Time       `json:"created_at"`
	}
	h.Reason = s.HintReason
	_ = json.Unmarshal(s.Hint, &h) // a hint that cannot be parsed is ignored
	body := cmp.Or(holonBody(h.Body), h.Description, h.Reason)
	sum := sha256.Sum256(append([]byte(h.Reason+"\n"), s.Hint...)) // raw: a checksum, not shown
	return model.Message{ID: model.MessageID("hint-" + hex.EncodeToString(sum[:8])), Origin: holonSender, Source: h.Source,
		Priority: model.Normal, Body: body, CreatedAt: h.CreatedAt}, body != ""
}

// holonSender is the sender of the messages in Holon's queue, except the operator's.
const holonSender model.Actor = "external:holon"

// readMessages imports what waits for the agent's next turn: queued messages, and messages of a turn that did not end in Holon. All other
// messages were read.
func (r *holonReader) readMessages() error {
	entries, err := r.queueEntries()
	if err != nil {
		return err
	}
	const file = "messages.jsonl"
	records := map[string]*holonRecord{}
	err = r.lines(file, func(n int, line []byte) error {
		var m struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		if !entries[m.ID].waits() {
			r.leave(file+": messages that no turn is to read", 1, "they were read, dropped or never queued")
			return nil
		}
		rec, err := decodeRecord(line)
		rec.line = n
		rec.take("id", &rec.id)
		records[m.ID] = rec
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		rec, found := records[id]
		if !found && entries[id].waits() {
			r.leave("queued messages without words", 1, "they are not in "+file)
		}
		if !found {
			continue
		}
		if r.takeMessage(rec, entries[id]); rec.err != nil {
			return r.malformed(r.home.ledger+"/"+file, rec.line, rec.err)
		}
	}
	return nil
}

// queueEntries returns the delivery state of each message.
func (r *holonReader) queueEntries() (map[string]holonEntry, error) {
	entries := map[string]holonEntry{}
	err := r.lines("queue_entries.jsonl", func(_ int, line []byte) error {
		var e holonEntry
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		switch e.Status {
		case "queued", "dequeued", "processed", "interjected", "aborted", "interrupted", "dropped":
		default:
			return fmt.Errorf("unknown status %q", model.Text(e.Status))
		}
		entries[e.MessageID] = e
		return nil
	})
	return entries, err
}

// holonEntry is the delivery state of a message.
type holonEntry struct {
	MessageID string         `json:"message_id"`
	Status    string         `json:"status"`
	Priority  model.Priority `json:"priority"`
}

// waits reports whether no turn has read the message to its end.
func (e holonEntry) waits() bool { return e.Status == "queued" || e.Status == "dequeued" }

// holonsOwn are the kinds of messages that Holon's components send to each other.
var holonsOwn = []string{"system_tick", "task_status", "control", "brief_ack", "brief_result"}

func (r *holonReader) takeMessage(rec *holonRecord, e holonEntry) {
	agent := rec.owner()
	m := model.Message{ID: model.MessageID(rec.id), Origin: holonSender, Priority: e.Priority}
	var kind string
	var origin struct {
		Kind   string     `json:"kind"`
		Source model.Text `json:"source"`
	}
	var body json.RawMessage
	for key, out := range map[string]any{
		"kind": &kind, "origin": &origin, "body": &body, "text": &m.Body, "work_item_id": &m.WorkItemID, "created_at": &m.CreatedAt,
	} {
		rec.take(key, out)
	}
	if m.Priority == "" {
		rec.take("priority", &m.Priority)
	}
	if slices.Contains(holonsOwn, kind) {
		r.leave("messages.jsonl: "+kind, 1, "vise's scheduler says such things itself")
		return
	}
	if kind == "operator_prompt" && (origin.Kind == "" || origin.Kind == "operator") {
		m.Origin = model.Operator
	}
	m.Source, _ = shorten(cmp.Or(origin.Source, model.Text(origin.Kind), model.Text(kind)), model.MaxWaitText)
	if m.Origin == model.Operator {
		m.Source = ""
	}
	m.Priority = holonPriority(m)
	if r.owner[m.WorkItemID] != agent {
		m.WorkItemID = ""
	}
	m.Body = cmp.Or(holonBody(body), m.Body)
	if rec.err == nil {
		r.bringMessage(agent, m)
	}
}

// holonPriority returns the priority in vise: only the operator interjects.
func holonPriority(m model.Message) model.Priority {
	switch {
	case !slices.Contains(model.Priorities, m.Priority) && m.Priority != "interrupt":
		return model.Normal
	case m.Origin == model.Operator && m.Priority == "interrupt":
		return model.Interject
	case m.Origin != model.Operator && (m.Priority == "interrupt" || m.Priority == model.Interject):
		return model.Next
	}
	return m.Priority
}

// bringMessage imports a message that has text, cut to the longest message that vise allows.
func (r *holonReader) bringMessage(agent model.AgentID, m model.Message) {
	body := strings.TrimSpace(strings.ToValidUTF8(m.Body.Raw(), "\uFFFD")) // raw: into the ledger, not shown
	if body == "" {
		r.leave("message "+string(m.ID), 1, "it has no words")
		return
	}
	if len(body) > model.MaxMessage {
		end := model.MaxMessage
		for !utf8.RuneStart(body[end]) {
			end--
		}
		body = body[:end]
		r.leave("message "+string(m.ID)+": its end", 1, "a message has at most 64 KiB")
	}
	m.Body = model.Text(body)
	r.agent(agent).Messages = append(r.agent(agent).Messages, m)
	r.ledger.Counts.Messages++
}

// holonBody returns the text of a message's body, or its value as JSON.
func holonBody(raw json.RawMessage) model.Text {
	var b struct {
		Title model.Text      `json:"title"`
		Text  model.Text      `json:"text"`
		Value json.RawMessage `json:"value"`
	}
	_ = json.Unmarshal(raw, &b) // a body that cannot be parsed has no text
	if b.Text == "" {
		b.Text = model.Text(b.Value)
	}
	if b.Title != "" {
		b.Text = b.Title + "\n\n" + b.Text
	}
	return b.Text
}
