package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"

	"vise/model"
)

// history reads the journal from its first entry to its last. It checks that no entry is missing, moved or changed, and that the rows that
// derive from the entries exist.
type history struct {
	*audit
	head  head // of the commits read so far
	heads map[model.AgentID]agentHead
	// left is how many events of the last commit were not read yet.
	left int
	rows int
}

func (a *audit) journal() error {
	h := &history{audit: a, heads: map[model.AgentID]agentHead{}}
	err := a.txn.Scan(Prefix([]byte(tableJournal)), func(key, value []byte) bool {
		payload, err := unframe(key, value)
		if direct, err := a.txn.Get(key); err != nil || !bytes.Equal(direct, value) {
			a.problem(key, "is found by a scan, but not by its key")
		}
		switch p := positionAt(key); {
		case err != nil:
			a.problem(key, "%v", err)
		case p.N == 0:
			h.commit(key, payload, p)
		default:
			h.entry(key, payload, p)
		}
		return true
	})
	if err != nil {
		return err
	}
	h.complete()
	return h.trails()
}

func (h *history) commit(key, payload []byte, p model.Position) {
	var c struct { // the fields of a commit; its hash covers the receipt
		Revision uint64  `json:"revision"`
		Events   int     `json:"events"`
		Writes   []write `json:"writes"`
		Prev     string  `json:"prev"`
	}
	if err := decode(key, payload, &c); err != nil {
		h.problem(key, "%v", err)
		return
	}
	h.health.Commits++
	if h.left != 0 || p.Revision != h.head.Revision+1 || c.Revision != p.Revision || c.Prev != h.head.Hash {
		h.problem(key, "does not follow revision %d", h.head.Revision)
	}
	h.head = head{Revision: p.Revision, Hash: hashOf(payload)}
	h.left = c.Events
	for _, w := range c.Writes {
		id, err := nameOf(w.Kind, key, w.Record)
		if err != nil {
			h.problem(key, "%v", err)
			continue
		}
		h.written[string(recordKey(w.Kind, id))] = sha256.Sum256(w.Record)
	}
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

func (h *history) entry(key, payload []byte, p model.Position) {
	var e entryRow
	if err := decode(key, payload, &e); err != nil {
		h.problem(key, "%v", err)
		return
	}
	h.health.Entries++
	was := h.heads[e.AgentID]
	h.left--
	if p.Revision != h.head.Revision || h.left < 0 || e.Revision != p.Revision || e.N != p.N {
		h.problem(key, "does not belong to revision %d", h.head.Revision)
	}
	if e.Seq != was.Seq+1 || e.Prev != was.Hash {
		h.problem(key, "does not follow event %d of agent %s", was.Seq, e.AgentID)
	}
	h.heads[e.AgentID] = agentHead{Seq: e.Seq, Hash: hashOf(payload)}
	h.rows++
	h.expect(append(logPrefix(e.AgentID), position(p)...), nil)
	if e.WorkItemID != "" {
		h.rows++
		h.expect(append(trailPrefix(e.WorkItemID), position(p)...), nil)
	}
}

// complete checks that the journal ends where the heads of the ledger and of the agents say.
func (h *history) complete() {
	f := newFacts(h.txn)
	if said := f.head(); f.err != nil || said.Revision != h.head.Revision || said.Hash != h.head.Hash || h.left != 0 {
		h.problem(keyHead, "says revision %d, and the journal ends at %d", said.Revision, h.head.Revision)
	}
	for _, id := range sortedKeys(h.heads) {
		payload, err := encode(h.heads[id])
		if err != nil {
			h.problem(agentHeadKey(id), "%v", err)
			continue
		}
		h.expect(agentHeadKey(id), payload)
	}
}

// trails looks for rows of events that the journal does not have.
func (h *history) trails() error {
	found := 0
	count := func([]byte, []byte) bool { found++; return true }
	err := cmp.Or(h.txn.Scan(Prefix([]byte(tableTrail)), count), h.txn.Scan(Prefix([]byte(tableLog)), count))
	if err != nil || found <= h.rows {
		return err
	}
	return cmp.Or(h.strays(tableTrail), h.strays(tableLog))
}

// strays finds the rows of a table that belong to no event of the journal.
func (h *history) strays(table string) error {
	return h.txn.Scan(Prefix([]byte(table)), func(key, _ []byte) bool {
		var e entryRow
		p := positionAt(key)
		newFacts(h.txn).getJSON(journalKey(p), &e)
		want := append(logPrefix(e.AgentID), position(p)...)
		if table == tableTrail {
			want = append(trailPrefix(e.WorkItemID), position(p)...)
		}
		if !bytes.Equal(key, want) {
			h.fix(fix{key: bytes.Clone(key), delete: true}, "belongs to no event")
		}
		return true
	})
}
