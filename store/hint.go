package store

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"vise/model"
)

// Named is what a process is likely to be about: an agent, and words of its command line, which can be names.
type Named struct {
	Agent model.AgentID
	Words []string
	// Lists: the agent's lists of work items are read, or those of all if it names none.
	Lists bool
}

// fewWords is how many words are taken for names.
const fewWords = 3

// kindsOfIDs are the kinds of records that a command line can name, by the prefix of their ids. An item has a handle too.
var kindsOfIDs = map[string]model.RecordKind{
	"wt-": model.KindWait, "tk-": model.KindTask, "dg-": model.KindDelegation, "in-": model.KindIngress,
}

// reads are what the names can stand for.
func (n Named) reads() (r Reads) {
	if n.Agent != "" {
		r.Keys = append(r.Keys, agentKey(n.Agent))
	} else {
		r.Ranges, r.Shown = append(r.Ranges, Prefix(recordsFrom(model.KindAgent, ""))), n.Lists
	}
	if n.Lists && n.Agent != "" {
		r.Ranges = append(r.Ranges, listsOf(n.Agent)...)
	}
	words := slices.DeleteFunc(slices.Clone(n.Words), func(w string) bool { return !model.ValidID(strings.ToLower(w)) })
	for _, w := range words[:min(len(words), fewWords)] {
		w = strings.ToLower(w)
		if kind := kindsOfIDs[w[:min(len(w), 3)]]; kind != "" {
			r.Keys = append(r.Keys, recordKey(model.RecordName{Kind: kind, Key: w}, n.Agent))
			continue
		}
		r.Keys = append(r.Keys, agentKey(model.AgentID(w)))
		for _, s := range spellings(w) {
			item := model.RecordName{Kind: model.KindItem, Key: s}
			r.Keys = append(r.Keys, handleKey(model.Handle(s)), recordKey(item, ""))
			if n.Agent != "" && strings.HasPrefix(w, itemPrefix) {
				r.Keys = append(r.Keys, recordKey(item, n.Agent))
			}
		}
	}
	return r
}

// listsOf are the lists of an agent's work items.
func listsOf(agent model.AgentID) (all []Range) {
	for _, c := range append(slices.Clone(model.Classes), model.ReportOffered) {
		all = append(all, Prefix(indexPrefix(agent, c)))
	}
	return all
}

func agentKey(id model.AgentID) []byte {
	return recordKey(model.RecordName{Kind: model.KindAgent, Key: string(id)}, id)
}

// hint tells a transaction what it is likely to read, if that saves requests.
func hint(t Txn, likely func() Reads) {
	if h, ok := t.(Hinted); ok {
		h.Hint(likely())
	}
}

// expect hints records of a part that will be read one after the other.
func (f *facts) expect(kind model.RecordKind, part model.AgentID, ids ...string) {
	h, ok := f.txn.(Hinted)
	if !ok {
		return
	}
	var r Reads
	for _, id := range ids {
		if n := (model.RecordName{Kind: kind, Key: id}); id != "" && f.records[n] == nil {
			r.Keys = append(r.Keys, recordKey(n, part))
		}
	}
	h.Hint(r)
}

// follow hints the records that a record leads to.
func (f *facts) follow(r model.Record) {
	switch r := r.(type) {
	case model.Agent:
		f.expect(model.KindItem, r.ID, string(r.CurrentWorkItemID))
	case model.WorkItem:
		for _, x := range r.Replies {
			f.expect(model.KindMessage, r.AgentID, string(x.MessageID))
		}
		for _, x := range r.Comments {
			f.expect(model.KindMessage, r.AgentID, string(x.MessageID))
		}
	}
}

// readsOf is what a command is likely to read: the records that it names, and its agents.
func readsOf(at model.Stamp, e model.Envelope) Reads {
	var named struct {
		Agent      model.AgentID `json:"agent_id"`
		To         model.AgentID `json:"to"`
		Item       string        `json:"work_item_id"`
		Wait       string        `json:"wait_id"`
		Task       string        `json:"task_id"`
		Delegation string        `json:"delegation_id"`
		Ingress    string        `json:"ingress_id"`
	}
	if raw, err := encode(e.Command); err == nil {
		_ = json.Unmarshal(raw, &named) // a field of another form is not hinted
	}
	own := cmp.Or(e.Agent, named.Agent)
	reads := Reads{New: at.NewID}
	add := func(kind model.RecordKind, id string, part model.AgentID) {
		if id != "" {
			reads.Keys = append(reads.Keys, recordKey(model.RecordName{Kind: kind, Key: id}, part))
		}
	}
	for _, agent := range []model.AgentID{own, named.Agent, named.To} {
		add(model.KindAgent, string(agent), agent)
	}
	add(model.KindItem, named.Item, own)
	add(model.KindWait, named.Wait, own)
	add(model.KindTask, named.Task, own)
	add(model.KindDelegation, named.Delegation, own)
	add(model.KindIngress, named.Ingress, own)
	switch c := e.Command.(type) {
	case model.WaitFor:
		add(model.KindIngress, string(model.StableIngress(own, c.Resource)), own)
		add(model.KindTask, string(c.Resource), own)
	case model.MintIngress:
		add(model.KindIngress, string(model.StableIngress(own, c.Resource)), own)
	}
	return reads
}
