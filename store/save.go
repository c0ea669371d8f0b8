package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"vise/model"
)

// judge answers a command inside a transaction. For a known key it returns the stored
// receipt; otherwise it judges the command and saves the result.
func (l *Ledger) judge(t Txn, at model.Stamp, e model.Envelope, fp string) (model.Receipt, error) {
	f := newFacts(t)
	if known, ok := f.answer(e.Key); ok || f.err != nil {
		known.Receipt.Replayed = true
		return known.Receipt, cmp.Or(f.err, mismatch(known, fp))
	}
	change, err := model.Step(f, at, e.Command)
	if f.err != nil {
		return model.Receipt{}, f.err
	}
	if err != nil {
		return model.Receipt{}, err
	}
	was := f.head()
	change.Receipt = stampReceipt(change.Receipt, was.Revision)
	if change.Empty() {
		change.Receipt.Unchanged = true
		return change.Receipt, f.err
	}
	if err := l.createPlans(change.NewPlans); err != nil {
		return model.Receipt{}, err
	}
	c := commit{At: at.At, Actor: at.Actor, Key: e.Key, Print: fp, Receipt: change.Receipt, Plans: plansOf(change.NewPlans)}
	saved := f.save(c, change.Writes, entriesOf(f, at, change))
	return saved.Receipt, f.err
}

func stampReceipt(r model.Receipt, revision uint64) model.Receipt {
	r.Revision = revision
	r.Calls = slices.Clone(r.Calls)
	for i := range r.Calls {
		r.Calls[i] = stampReceipt(r.Calls[i], revision)
	}
	return r
}

// entriesOf gives each event its agent: the item's owner, otherwise the agent of the command.
func entriesOf(f *facts, at model.Stamp, c model.Change) []model.Entry {
	owners := map[model.ItemID]model.AgentID{}
	for _, r := range c.Writes {
		if w, ok := r.(model.WorkItem); ok {
			owners[w.ID] = w.AgentID
		}
	}
	acting, _ := at.Actor.Agent()
	entries := make([]model.Entry, len(c.Events))
	for i, e := range c.Events {
		agent, ok := owners[e.WorkItemID]
		if !ok && e.WorkItemID != "" {
			w, _ := f.Item(e.WorkItemID)
			agent = w.AgentID
		}
		data, err := encode(e.Data)
		f.fail(err)
		entries[i] = model.Entry{AgentID: cmp.Or(agent, c.Receipt.AgentID, at.Agent, acting), Kind: e.Kind, WorkItemID: e.WorkItemID,
			Data: data}
	}
	return entries
}

// save is the only code that writes changes to a ledger: records, derived rows, journal,
// answer and revision, so that they always agree. It returns the commit as it was saved.
func (f *facts) save(c commit, records []model.Record, events []model.Entry) commit {
	was := f.head()
	c.Revision, c.Prev, c.Events = was.Revision+1, was.Hash, len(events)
	c.Receipt = stampReceipt(c.Receipt, c.Revision)

	own, composed := f.touched(records)
	ownBefore, before := f.deriveAll(own), f.deriveAll(composed)
	c.Writes = make([]write, len(records))
	for i, r := range records {
		c.Writes[i] = write{Kind: r.Name().Kind, Record: f.putRecord(r)}
	}
	f.replace(ownBefore, f.deriveAll(own))
	after := f.deriveAll(composed)
	f.replace(before, after)
	f.recount(before, after)

	h := f.appendJournal(c, events)
	f.putHead(f.keepAnswer(c, was, h))
	return c
}

// putRecord writes a record and returns its bytes.
func (f *facts) putRecord(r model.Record) []byte {
	key := recordKey(r.Name().Kind, r.Name().Key)
	f.records[string(key)] = r
	return f.putJSON(key, r)
}

func (f *facts) putJSON(key []byte, v any) []byte {
	payload, err := encode(v)
	f.fail(err)
	f.put(key, payload)
	return payload
}

// put writes a payload with its checksum. A nil payload writes only the key.
func (f *facts) put(key, payload []byte) {
	if f.err != nil {
		return
	}
	if payload != nil {
		payload = frame(key, payload)
	}
	f.fail(f.txn.Put(key, payload))
}

func (f *facts) delete(key []byte) {
	if f.err == nil {
		f.fail(f.txn.Delete(key))
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := slices.AppendSeq(make([]K, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}

// commit is the journal's record of one change, with everything that is needed to make the
// change again.
type commit struct {
	Revision uint64      `json:"revision"`
	At       time.Time   `json:"at"`
	Actor    model.Actor `json:"actor"`
	// Key identifies a retry. Print distinguishes a retry from another command with the same
	// key.
	Key   string `json:"key"`
	Print string `json:"print"`
	// Events is the number of entries of the same revision that follow.
	Events  int           `json:"events"`
	Writes  []write       `json:"writes"`
	Plans   []plan        `json:"plans,omitempty"`
	Receipt model.Receipt `json:"receipt"`
	// Prev is the hash of the previous commit.
	Prev string `json:"prev"`
}

// write is one record as the change wrote it.
type write struct {
	Kind   model.RecordKind `json:"kind"`
	Record json.RawMessage  `json:"record"`
}

// plan is the text with which a plan file was created. A file that a power cut damaged can be
// created again from it.
type plan struct {
	AgentID model.AgentID `json:"agent_id"`
	ItemID  model.ItemID  `json:"work_item_id"`
	Seed    string        `json:"seed"`
}

// entryRow is an event in the journal. Prev is the hash of the same agent's previous event.
type entryRow struct {
	model.Entry
	Prev string `json:"prev"`
}

// head is the state of the ledger's history after its last commit.
type head struct {
	Revision uint64 `json:"revision"`
	Hash     string `json:"hash"`
	// Pruned is the last revision whose idempotency key was deleted. Kept is the ledger time
	// from the next revision to this one, which was made At; see lapse.
	Pruned uint64        `json:"pruned"`
	Kept   time.Duration `json:"kept,omitzero"`
	At     time.Time     `json:"at,omitzero"`
}

// agentHead is the state of an agent's events after its last event.
type agentHead struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

func (f *facts) head() head {
	if f.known == nil {
		f.known = new(head)
		f.getJSON(keyHead, f.known)
	}
	return *f.known
}

func (f *facts) putHead(h head) {
	f.putJSON(keyHead, h)
	f.known = &h
}

func (f *facts) agentHead(id model.AgentID) agentHead {
	h, ok := f.heads[id]
	if !ok {
		f.getJSON(agentHeadKey(id), &h)
		f.heads[id] = h
	}
	return h
}

// commitAt loads a commit.
func (f *facts) commitAt(revision uint64) (commit, bool) {
	var c commit
	ok := f.getJSON(journalKey(model.Position{Revision: revision}), &c)
	return c, ok
}

// appendJournal appends a commit and its events to the journal and to the trails. It returns
// the ledger's next head.
func (f *facts) appendJournal(c commit, events []model.Entry) head {
	heads := map[model.AgentID]agentHead{}
	for i, e := range events {
		h, ok := heads[e.AgentID]
		if !ok {
			h = f.agentHead(e.AgentID)
		}
		e.Revision, e.N, e.At, e.Actor, e.Seq = c.Revision, i+1, c.At, c.Actor, h.Seq+1
		at := e.Position()
		raw := f.putJSON(journalKey(at), entryRow{Entry: e, Prev: h.Hash})
		heads[e.AgentID] = agentHead{Seq: e.Seq, Hash: hashOf(raw)}
		f.put(append(logPrefix(e.AgentID), position(at)...), nil)
		if e.WorkItemID != "" {
			f.put(append(trailPrefix(e.WorkItemID), position(at)...), nil)
		}
	}
	for _, id := range sortedKeys(heads) {
		f.putJSON(agentHeadKey(id), heads[id])
		f.heads[id] = heads[id]
	}
	raw := f.putJSON(journalKey(model.Position{Revision: c.Revision}), c)
	return head{Revision: c.Revision, Hash: hashOf(raw)}
}

// Idempotency keys are kept for a week of ledger time (see lapse), and at most for the last
// hundred thousand changes.
const (
	keepAnswers    = 7 * 24 * time.Hour
	maxAnswers     = 100_000
	prunedAtOnce   = 4 // two would keep up; more catches up after a busy week
	revisionLength = 8
)

// lapse is the ledger time between two successive revisions. It is at least zero and at most
// an hour, so that a clock that jumps does not age the keys.
func lapse(from, to time.Time) time.Duration {
	if from.IsZero() {
		return 0 // the ledger's first revision, or the last one of a program that stored no time
	}
	return min(max(to.Sub(from), 0), time.Hour)
}

// keepAnswer stores the commit as the answer to its key, and deletes a few old answers.
func (f *facts) keepAnswer(c commit, was, h head) head {
	f.put(answerKey(c.Key), binary.BigEndian.AppendUint64(nil, c.Revision))
	h.Pruned, h.Kept, h.At = was.Pruned, was.Kept+lapse(was.At, c.At), c.At
	for range prunedAtOnce {
		if h.Kept <= keepAnswers && c.Revision-h.Pruned <= maxAnswers {
			break
		}
		old, ok := f.commitAt(h.Pruned + 1)
		next, more := f.commitAt(h.Pruned + 2)
		if !ok || !more {
			break
		}
		f.delete(answerKey(old.Key))
		h.Pruned, h.Kept = old.Revision, max(h.Kept-lapse(old.At, next.At), 0)
	}
	return h
}

// answer returns the commit that used an idempotency key.
func (f *facts) answer(key string) (commit, bool) {
	payload := f.get(answerKey(key))
	if len(payload) != revisionLength {
		return commit{}, false
	}
	return f.commitAt(binary.BigEndian.Uint64(payload))
}
