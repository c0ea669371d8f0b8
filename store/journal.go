package store

import (
	"bytes"
	"encoding/json"
	"time"

	"vise/model"
	"vise/store/kv"
)

// commit is one change.
type commit struct {
	Revision uint64
	At       time.Time
	Actor    model.Actor
	Person   model.Text
	// Part is the part that keeps the key and the receipt.
	Part model.AgentID
	// Key identifies a retry. Print distinguishes a retry from another command with the same
	// key.
	Key, Print string
	Plans      []plan
	Receipt    model.Receipt
}

// Portion is the journal's record of what one change did to one part, with everything that is needed to do it again. Its value is two
// lines of JSON, so that whoever reads events reads only the first.
type Portion struct {
	Outline
	Effects
}

// Outline says when a change was made, by whom, and its events.
type Outline struct {
	Revision uint64        `json:"revision"`
	Agent    model.AgentID `json:"agent"`
	// Seq counts the portions of a part without a gap. Prev is the hash of the one before.
	Seq   uint64      `json:"seq"`
	Prev  string      `json:"prev"`
	At    time.Time   `json:"at"`
	Actor model.Actor `json:"actor"`
	// Person is who the operator was; empty if not known.
	Person model.Text `json:"person,omitempty"`
	// With are the other parts of the same change, with the numbers of their portions.
	With   map[model.AgentID]uint64 `json:"with,omitempty"`
	Events []event                  `json:"events,omitempty"`
	// archived: this is only what is left of a portion whose change is in the archive. key is its idempotency key.
	archived bool
	key      string
}

// Effects are what a change wrote, and its answer.
type Effects struct {
	Writes []write `json:"writes,omitempty"`
	Plans  []plan  `json:"plans,omitempty"`
	// Key, Print and Receipt are in one portion of a change.
	Key     string         `json:"key,omitempty"`
	Print   string         `json:"print,omitempty"`
	Receipt *model.Receipt `json:"receipt,omitempty"`
}

// event is a model.Entry without what its portion says. N is its place in the change.
type event struct {
	N          int             `json:"n"`
	Seq        uint64          `json:"seq"`
	Kind       model.EventKind `json:"kind"`
	WorkItemID model.ItemID    `json:"work_item_id,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
}

func (o Outline) entries() []model.Entry {
	out := make([]model.Entry, len(o.Events))
	for i, e := range o.Events {
		out[i] = model.Entry{Revision: o.Revision, N: e.N, At: o.At, AgentID: o.Agent, Seq: e.Seq, Actor: o.Actor, Person: o.Person,
			Kind: e.Kind, WorkItemID: e.WorkItemID, Data: e.Data}
	}
	return out
}

func (p Portion) Encode() ([]byte, error) {
	first, err := Encode(p.Outline)
	if err != nil {
		return nil, err
	}
	second, err := Encode(p.Effects)
	return append(append(first, '\n'), second...), err
}

// readLines decodes the two lines of a portion's value, but no line into nil.
func readLines(key, value []byte, outline, effects any) error {
	payload, err := kv.Unframe(key, value)
	first, second, _ := bytes.Cut(payload, []byte("\n"))
	if err == nil && outline != nil {
		err = Decode(key, first, outline)
	}
	if err == nil && effects != nil {
		err = Decode(key, second, effects)
	}
	return err
}

// ReadPortion reads a portion, and ReadOutline its first line.
func ReadPortion(key, value []byte) (p Portion, err error) {
	err = readLines(key, value, &p.Outline, &p.Effects)
	return p, err
}

func ReadOutline(key, value []byte) (o Outline, err error) {
	err = readLines(key, value, &o, nil)
	return o, err
}

// readAnswerKey reads the idempotency key of a portion.
func readAnswerKey(key, value []byte) (string, error) {
	var x struct { // decoding the receipt would take most of the time
		Key string `json:"key"`
	}
	err := readLines(key, value, nil, &x)
	return x.Key, err
}

// portions are the portions of one change, by part.
type portions struct {
	commit
	by map[model.AgentID]*Portion
}

func newPortions(c commit) portions {
	ps := portions{c, map[model.AgentID]*Portion{}}
	p := ps.of(c.Part)
	p.Key, p.Print, p.Receipt = c.Key, c.Print, &ps.Receipt
	return ps
}

func (ps portions) of(part model.AgentID) *Portion {
	p := ps.by[part]
	if p == nil {
		p = &Portion{Outline: Outline{Revision: ps.Revision, Agent: part, At: ps.At, Actor: ps.Actor, Person: ps.Person}}
		ps.by[part] = p
	}
	return p
}

// write is one record as the change wrote it.
type write struct {
	Kind   model.RecordKind `json:"kind"`
	Record json.RawMessage  `json:"record"`
}

func recordsOf(writes []write) ([]model.Record, error) {
	records := make([]model.Record, len(writes))
	for i, w := range writes {
		var err error
		if records[i], err = decodeRecord(w.Kind, recordsFrom(w.Kind, "?"), w.Record); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// plan is the text with which a plan file was created. A file that a power cut damaged can be
// created again from it.
type plan struct {
	AgentID model.AgentID `json:"agent_id"`
	ItemID  model.ItemID  `json:"work_item_id"`
	Seed    string        `json:"seed"`
}

// Head is how far the ledger is.
type Head struct {
	Revision uint64 `json:"revision"`
}

// PartHead is the state of an agent's part after its last change.
type PartHead struct {
	Seq      uint64    `json:"seq"`
	Revision uint64    `json:"revision"`
	Hash     string    `json:"hash"`
	At       time.Time `json:"at,omitzero"`
	// EventSeq is the number of the agent's last event.
	EventSeq uint64 `json:"event_seq"`
	Counts   counts `json:"counts,omitempty"`
	// Pruned is the last revision whose idempotency key was deleted, PrunedSeq its number in the part. Kept is the time, by the part's
	// changes (see lapse), from the next change to the last.
	Pruned    uint64        `json:"pruned,omitempty"`
	PrunedSeq uint64        `json:"pruned_seq,omitempty"`
	Kept      time.Duration `json:"kept,omitempty"`
	ArchivedTo
}

func HashOf(raw []byte) string { return model.Hash(string(raw)) }

func (f *Facts) Head() Head {
	if f.known == nil {
		f.known = new(Head)
		f.JSON(KeyHead, f.known)
	}
	return *f.known
}

func (f *Facts) PutHead(h Head) {
	f.PutJSON(KeyHead, h)
	f.known = &h
}

func (f *Facts) PartHead(id model.AgentID) PartHead {
	h, ok := f.heads[id]
	if !ok {
		f.JSON(HeadKey(id), &h)
		f.heads[id] = h
	}
	return h
}

func (f *Facts) PutPartHead(id model.AgentID, h PartHead) {
	f.PutJSON(HeadKey(id), h)
	f.heads[id] = h
}

// portionAt loads what a change did to a part.
func (f *Facts) portionAt(revision uint64, part model.AgentID) (p Portion, ok bool) {
	return loadedAt(f, revision, part, ReadPortion)
}

// loadedAt reads the portion of a change or, if the change is in the archive, what is left of it.
func loadedAt[V any](f *Facts, revision uint64, part model.AgentID, read func(key, value []byte) (V, error)) (v V, ok bool) {
	if f.Err != nil {
		return v, false
	}
	key := JournalKey(revision, part)
	value, err := f.Txn.Get(key)
	if err == nil && value == nil {
		key = LogKey(part, revision)
		if value, err = f.Txn.Get(key); len(value) == 0 {
			value = nil // the row of a portion that is there or lost
		}
	}
	if err != nil || value == nil {
		f.Fail(err)
		return v, false
	}
	v, err = read(key, value)
	f.Harmed(err)
	return v, err == nil
}

// changeAt loads the portions of a change, in the order of their parts.
func (f *Facts) changeAt(revision uint64) (all []Portion) {
	f.Scan(Prefix(journalOf(revision)), func(key, value []byte) bool {
		p, err := ReadPortion(key, value)
		if f.Harmed(err); err == nil {
			all = append(all, p)
		}
		return true
	})
	return all
}

// MadeAt is when the change of a revision was made, in the ledger's file at path.
func MadeAt(path string, revision uint64) (at time.Time) {
	_ = ViewFile(path, func(f *Facts) error {
		for _, p := range f.changeAt(revision) {
			at = p.At
		}
		return nil
	})
	return at
}

// appendJournal appends a change to the journal, to the trails and to the heads of its parts.
func (f *Facts) appendJournal(ps portions, events []model.Entry) {
	byPart := map[model.AgentID][]model.Entry{}
	for _, e := range events {
		ps.of(e.AgentID)
		byPart[e.AgentID] = append(byPart[e.AgentID], e)
	}
	parts := sortedKeys(ps.by)
	for _, part := range parts {
		h := f.PartHead(part)
		ps.by[part].Seq, ps.by[part].Prev = h.Seq+1, h.Hash
	}
	n := 0
	for _, part := range parts {
		p, h := ps.by[part], f.PartHead(part)
		for _, other := range parts {
			if other != part {
				if p.With == nil {
					p.With = map[model.AgentID]uint64{}
				}
				p.With[other] = ps.by[other].Seq
			}
		}
		for _, e := range byPart[part] {
			n++
			h.EventSeq++
			p.Events = append(p.Events, event{N: n, Seq: h.EventSeq, Kind: e.Kind, WorkItemID: e.WorkItemID, Data: e.Data})
		}
		raw, err := p.Encode()
		f.Fail(err)
		f.Put(JournalKey(ps.Revision, part), raw)
		for _, key := range TrailsOf(p.Outline) {
			f.Put(key, nil)
		}
		h.Seq, h.Revision, h.Hash = p.Seq, p.Revision, HashOf(raw)
		f.keepAnswer(&h, *p)
		f.PutPartHead(part, h)
	}
}

// TrailsOf returns the rows that derive from a portion. They have only a key.
func TrailsOf(o Outline) [][]byte {
	keys := [][]byte{LogKey(o.Agent, o.Revision)}
	seen := map[model.ItemID]bool{"": true}
	for _, e := range o.Events {
		if !seen[e.WorkItemID] {
			seen[e.WorkItemID] = true
			keys = append(keys, append(trailPrefix(o.Agent, e.WorkItemID), number(o.Revision)...))
		}
	}
	return keys
}

// Idempotency keys are kept for a week of the time of their part (see lapse), and at most for its last ten thousand changes.
const (
	keepAnswers  = 7 * 24 * time.Hour
	maxAnswers   = 10_000
	prunedAtOnce = 64
)

// lapse is the time between two successive changes of a part. It is at least zero and at most
// an hour, so that a clock that jumps does not age the keys.
func lapse(from, to time.Time) time.Duration {
	if from.IsZero() {
		return 0 // the part's first change
	}
	return min(max(to.Sub(from), 0), time.Hour)
}

// keepAnswer stores the portion as the answer to its key, moves the head's time, and deletes some old answers of the part.
func (f *Facts) keepAnswer(h *PartHead, p Portion) {
	if p.Key != "" {
		f.Put(answerKey(p.Key, p.Agent), []byte(number(p.Revision)))
	}
	h.Kept, h.At = h.Kept+lapse(h.At, p.At), p.At
	f.prune(h, p.Agent)
}

// prune deletes some old answers of a part, and reports whether there were some.
func (f *Facts) prune(h *PartHead, part model.AgentID) bool {
	most, atOnce := f.answersKept()
	if h.Kept <= keepAnswers && h.Seq-h.PrunedSeq < most+uint64(atOnce) {
		return false
	}
	was := h.Pruned
	keys := Prefix(logPrefix(part))
	keys.From = LogKey(part, h.Pruned+1)
	var old Outline
	var lapsed [][]byte
	n := 0
	f.changesOf(part, keys, func(next Outline) bool {
		if n++; n > 1 {
			key := old.key
			if old.archived {
				lapsed = append(lapsed, LogKey(part, old.Revision))
			} else {
				key, _ = loadedAt(f, old.Revision, part, readAnswerKey)
			}
			if key != "" {
				lapsed = append(lapsed, answerKey(key, part))
			}
			h.Pruned, h.PrunedSeq, h.Kept = old.Revision, old.Seq, max(h.Kept-lapse(old.At, next.At), 0)
		}
		old = next
		return n <= atOnce && (h.Kept > keepAnswers || h.Seq-h.PrunedSeq > most)
	})
	for _, key := range lapsed {
		f.Delete(key)
	}
	return h.Pruned > was
}

// answer returns the change of a part that used an idempotency key. Without a part it is that of any, rather one with the same print.
func (f *Facts) answer(key, print string, part model.AgentID) (p Portion, ok bool) {
	if part != "" {
		if at := f.Payload(answerKey(key, part)); at != nil {
			p, ok = f.portionAt(NumberAt(at), part)
		}
		return p, ok && p.Receipt != nil
	}
	var parts []model.AgentID
	f.Scan(Prefix(answerKey(key, "")), func(k, _ []byte) bool { parts = append(parts, PartOf(k)); return true })
	for _, part := range parts {
		if x, is := f.answer(key, print, part); is && p.Print != print {
			p, ok = x, true
		}
	}
	return p, ok
}

// ArchivedTo is the newest change of a part that is in the archive and no longer in the journal: its number, its revision, the hash of its
// portion, and the number of the last event up to it.
type ArchivedTo struct {
	ArchivedSeq      uint64 `json:"archived_seq,omitempty"`
	ArchivedRevision uint64 `json:"archived_revision,omitempty"`
	ArchivedHash     string `json:"archived_hash,omitempty"`
	ArchivedEventSeq uint64 `json:"archived_event_seq,omitempty"`
}

// EachHead visits the heads of all parts.
func (f *Facts) EachHead(visit func(model.AgentID, PartHead)) {
	f.Scan(Prefix([]byte(TableHead)), func(key, value []byte) bool {
		var h PartHead
		err := DecodeValue(key, value, &h)
		if f.Harmed(err); err == nil {
			visit(model.AgentID(key[len(TableHead):]), h)
		}
		return true
	})
}

// A cluster has less space than a file, and takes few operations in a change: there the last thousand answers are kept.
const (
	maxSharedAnswers   = 1_000
	prunedAtOnceShared = 4
)

// answersKept is how many answers of a part are kept, and how many older ones a change deletes at most.
func (f *Facts) answersKept() (most uint64, atOnce int) {
	if f.Txn.Counts() {
		return maxSharedAnswers, prunedAtOnceShared
	}
	return maxAnswers, prunedAtOnce
}
