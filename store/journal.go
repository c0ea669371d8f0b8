package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"time"

	"vise/model"
)

// commit is the journal's record of one change: all that is needed to make it again.
type commit struct {
	Revision uint64      `json:"revision"`
	At       time.Time   `json:"at"`
	Actor    model.Actor `json:"actor"`
	// Key answers a retry; Print tells a retry from another command under the same key.
	Key   string `json:"key"`
	Print string `json:"print"`
	// Events is how many entries of the same revision follow.
	Events  int           `json:"events"`
	Writes  []write       `json:"writes"`
	Plans   []plan        `json:"plans,omitempty"`
	Receipt model.Receipt `json:"receipt"`
	// Prev is the hash of the commit before.
	Prev string `json:"prev"`
}

// write is a record as it was written.
type write struct {
	Kind   model.RecordKind `json:"kind"`
	Record json.RawMessage  `json:"record"`
}

// plan is the text that a plan file was born with. With it here, a file whose bytes did
// not survive a power cut can be made again.
type plan struct {
	AgentID model.AgentID `json:"agent_id"`
	ItemID  model.ItemID  `json:"work_item_id"`
	Seed    string        `json:"seed"`
}

// entryRow is an event as the journal keeps it. Prev is the hash of the same agent's
// event before it.
type entryRow struct {
	model.Entry
	Prev string `json:"prev"`
}

// head is how far the ledger is.
type head struct {
	Revision uint64 `json:"revision"`
	Hash     string `json:"hash"`
	// Pruned is the last revision whose idempotency key is forgotten, KeptSince when the
	// next one was made.
	Pruned    uint64    `json:"pruned"`
	KeptSince time.Time `json:"kept_since,omitzero"`
}

// agentHead is how far an agent's journal is.
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

// appendJournal appends a commit and its events to the journal and to the trails, and returns
// the ledger's next head.
func (f *facts) appendJournal(c commit, events []model.Entry) head {
	heads := map[model.AgentID]agentHead{}
	for i, e := range events {
		h, ok := heads[e.AgentID]
		if !ok {
			h = f.agentHead(e.AgentID)
		}
		e.Revision, e.N, e.At, e.Actor, e.Seq = c.Revision, i+1, c.At, c.Actor, h.Seq+1
		at := model.Position{Revision: e.Revision, N: e.N}
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

// Idempotency keys are kept for a week, and at most the last hundred thousand.
const (
	keepAnswers    = 7 * 24 * time.Hour
	maxAnswers     = 100_000
	prunedAtOnce   = 4 // two would keep up; more catches up after a busy week
	revisionLength = 8
)

// keepAnswer makes the commit the answer to its key, and forgets a few answers of old.
func (f *facts) keepAnswer(c commit, was, h head) head {
	f.put(answerKey(c.Key), binary.BigEndian.AppendUint64(nil, c.Revision))
	h.Pruned, h.KeptSince = was.Pruned, was.KeptSince
	if h.KeptSince.IsZero() {
		h.KeptSince = c.At
	}
	for range prunedAtOnce {
		if c.At.Sub(h.KeptSince) <= keepAnswers && c.Revision-h.Pruned <= maxAnswers {
			break
		}
		old, ok := f.commitAt(h.Pruned + 1)
		next, more := f.commitAt(h.Pruned + 2)
		if !ok || !more {
			break
		}
		f.delete(answerKey(old.Key))
		h.Pruned, h.KeptSince = old.Revision, next.At
	}
	return h
}

// answer is the commit that an idempotency key made.
func (f *facts) answer(key string) (commit, bool) {
	payload := f.get(answerKey(key))
	if len(payload) != revisionLength {
		return commit{}, false
	}
	return f.commitAt(binary.BigEndian.Uint64(payload))
}
