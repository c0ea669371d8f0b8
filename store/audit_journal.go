package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"

	"vise/model"
	"vise/store/kv"
)

// history reads the journal from its first change to its last. It checks that none is missing, moved or changed, and that the rows that
// derive from the changes exist.
type history struct {
	*audit
	revision uint64
	// with are the parts that portions at revision name and that were not read. Where agents do not wait for one another, several changes
	// have the same revision.
	with map[model.AgentID]named
	rows int
	// archived is how far the history of each part that was met is in the archive.
	archived map[model.AgentID]ArchivedTo
}

// named is a portion of a change that another portion names.
type named struct {
	seq    uint64
	change *change
}

// change is a change whose portions are being read. partly: some of them are in the archive.
type change struct {
	events int
	partly bool
}

func (a *audit) journal() error {
	h := &history{audit: a, with: map[model.AgentID]named{}, archived: map[model.AgentID]ArchivedTo{}}
	a.ends = map[model.AgentID]PartHead{}
	err := a.txn.Scan(Prefix([]byte(TableJournal)), func(key, value []byte) bool {
		if direct, err := a.txn.Get(key); err != nil || !bytes.Equal(direct, value) {
			a.problem(key, "is found by a scan, but not by its key")
		}
		h.portion(key, value)
		return true
	})
	if err != nil {
		return err
	}
	h.complete()
	return h.trails()
}

func (h *history) portion(key, value []byte) {
	var p struct {
		Outline
		Writes []write `json:"writes"` // the hash covers the other effects
		Key    string  `json:"key"`
	}
	if err := readLines(key, value, &p.Outline, &p); err != nil {
		h.problem(key, "%v", err)
		return
	}
	if revision, part := ChangeIn(key); p.Revision != revision || p.Agent != part {
		h.problem(key, "is of revision %d of agent %s", p.Revision, p.Agent)
	}
	if p.Revision != h.revision {
		h.next(key, p.Revision)
	}
	c := h.change(p.Outline)
	for other, seq := range p.With {
		c.partly = c.partly || seq <= h.archivedOf(other).ArchivedSeq
	}
	was, met := h.ends[p.Agent]
	if !met {
		was = h.begin(p.Agent)
	}
	if p.Seq != was.Seq+1 || p.Prev != was.Hash {
		h.problem(key, "does not follow change %d of agent %s", was.Seq, p.Agent)
	}
	is := PartHead{Seq: p.Seq, Revision: p.Revision, Hash: HashOf(value[:len(value)-kv.ChecksumSize]), EventSeq: was.EventSeq, At: p.At,
		Kept: was.Kept + lapse(was.At, p.At), ArchivedTo: was.ArchivedTo}
	for _, e := range p.Events {
		h.health.Entries++
		c.events++
		is.EventSeq++
		if e.N != c.events && !c.partly || e.Seq != is.EventSeq {
			h.problem(key, "does not follow event %d of agent %s", is.EventSeq-1, p.Agent)
		}
	}
	h.ends[p.Agent] = is
	for other, seq := range p.With {
		if end := h.ends[other]; (end.Revision != p.Revision || end.Seq != seq) && seq > h.archivedOf(other).ArchivedSeq {
			h.with[other] = named{seq, c}
		}
	}
	for _, w := range p.Writes {
		id, err := nameOf(w.Kind, key, w.Record)
		if err != nil {
			h.problem(key, "%v", err)
			continue
		}
		h.written[string(recordKey(model.RecordName{Kind: w.Kind, Key: id}, p.Agent))] = sha256.Sum256(w.Record)
	}
	for _, key := range TrailsOf(p.Outline) {
		h.rows++
		h.expect(key, nil)
	}
	f, at := NewFacts(h.txn), fix{key: answerKey(p.Key, p.Agent), payload: []byte(number(p.Revision))}
	if p.Key != "" && p.Revision > f.PartHead(p.Agent).Pruned && !bytes.Equal(f.Payload(at.key), at.payload) {
		// a key that was lost can have answered another change since
		if answer, ok := f.answer(p.Key, "", p.Agent); !ok || answer.Key != p.Key {
			h.fix(at, "does not lead to its answer")
		}
	}
}

// archivedOf is how far the history of a part is in the archive.
func (h *history) archivedOf(part model.AgentID) ArchivedTo {
	to, known := h.archived[part]
	if !known {
		to = NewFacts(h.txn).PartHead(part).ArchivedTo // a head that cannot be read is a problem of its own
		h.archived[part] = to
	}
	return to
}

// begin is the head of a part before its first change that is not in the archive.
func (h *history) begin(part model.AgentID) PartHead {
	to := h.archivedOf(part)
	h.health.Archived += to.ArchivedSeq
	return PartHead{Seq: to.ArchivedSeq, Revision: to.ArchivedRevision, Hash: to.ArchivedHash, EventSeq: to.ArchivedEventSeq,
		ArchivedTo: to}
}

// next begins the next revision. Revisions may be left out: the numbers of the parts' changes have no gap.
func (h *history) next(key []byte, revision uint64) {
	if len(h.with) > 0 {
		h.problem(key, "does not follow revision %d, of which portions are missing", h.revision)
	}
	h.revision = revision
	clear(h.with)
}

// change is the change that a portion belongs to.
func (h *history) change(p Outline) *change {
	if x, ok := h.with[p.Agent]; ok && x.seq == p.Seq {
		delete(h.with, p.Agent)
		return x.change
	}
	h.health.Commits++
	return &change{}
}

// namedByID are the kinds whose key is the id at the start of the record.
var namedByID = []model.RecordKind{model.KindAgent, model.KindItem, model.KindWait, model.KindTask, model.KindMessage, model.KindIngress}

// nameOf returns the key of a record. It decodes few records: the check compares the bytes of the others with records that it decodes.
func nameOf(kind model.RecordKind, key, raw []byte) (string, error) {
	if rest, ok := bytes.CutPrefix(raw, []byte(`{"id":"`)); ok && slices.Contains(namedByID, kind) {
		if id, _, ok := bytes.Cut(rest, []byte(`"`)); ok && model.ValidID(string(id)) {
			return string(id), nil
		}
	}
	r, err := decodeRecord(kind, key, raw)
	if err != nil {
		return "", err
	}
	return r.Name().Key, nil
}

// complete checks that the journal ends where the head of the ledger says.
func (h *history) complete() {
	f := NewFacts(h.txn)
	if said := f.Head(); f.Err != nil || said.Revision < h.revision || len(h.with) > 0 {
		h.problem(KeyHead, "says revision %d, and the journal ends at %d", said.Revision, h.revision)
	}
}

// trails looks for rows of changes that the journal does not have.
func (h *history) trails() error {
	found := 0
	count := func(_, value []byte) bool {
		if len(value) == 0 { // not of an archived change
			found++
		}
		return true
	}
	err := cmp.Or(h.txn.Scan(Prefix([]byte(TableTrail)), count), h.txn.Scan(Prefix([]byte(TableLog)), count))
	if err != nil || found <= h.rows {
		return err
	}
	return cmp.Or(h.strays(TableTrail), h.strays(TableLog))
}

// strays finds the rows of a table that belong to no change of the journal.
func (h *history) strays(table string) error {
	return h.txn.Scan(Prefix([]byte(table)), func(key, _ []byte) bool {
		part, _, _ := strings.Cut(string(key[len(table):]), "/")
		p, _ := NewFacts(h.txn).portionAt(NumberAt(key), model.AgentID(part))
		if !slices.ContainsFunc(TrailsOf(p.Outline), func(want []byte) bool { return bytes.Equal(key, want) }) {
			h.fix(fix{key: bytes.Clone(key), delete: true}, "belongs to no event")
		}
		return true
	})
}
