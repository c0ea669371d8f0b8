package etcd

import (
	"bytes"

	"vise/model"
	"vise/store"
)

// ofRow are those of the reads ahead of an item that a list of its class needs.
func ofRow(id, part string, c model.Class) []read {
	reads := ahead([]byte("item/" + id + "/" + part))
	if c == model.CompletedRecent || c == model.ReportOffered {
		return append(reads[:2:2], reads[3:6]...)
	}
	return reads[:4]
}

// ahead are the reads for a key, only its own if that is in memory.
func (t *txn) ahead(key []byte) []read {
	reads := ahead(key)
	if _, ok := t.remembered(reads[0]); ok {
		return reads[:1]
	}
	return reads
}

// ahead are the reads for a key: first its own, then those that usually follow it, so that they cost no request of their own. They save
// time and nothing else: what they read is what the transaction would read later at the same revision.
func ahead(key []byte) []read {
	reads := []read{one(placeOf(key))}
	part := store.PartOf(key)
	below := func(table, rest string) {
		t := tables[table]
		if s, ok := t.within(part, store.Prefix([]byte(table+string(part)+"/"+rest))); ok {
			reads = append(reads, read{span: s, limit: pageFirst})
		}
	}
	of := func(kinds ...model.RecordKind) {
		id, _, _ := idOf(key)
		for _, kind := range kinds {
			reads = append(reads, one(placeOf([]byte(string(kind)+"/"+id+"/"+string(part)))))
		}
	}
	switch tableOf(key).name {
	case "agent/":
		reads = append(reads, one(liveOf(part)))
		below("waits/", "/a/") // of the agent itself
		below("queue/", "")
	case "item/":
		id, _, _ := bytes.Cut(key[len("item/"):], []byte("/"))
		below("waits/", string(id)+"/a/")
		of(model.KindAttempt, model.KindTrace, model.KindBrief, model.KindOffers)
		reads = append(reads, one(placeOf([]byte("agent/"+part))))
		below("waits/", "/a/")
		below("running/", string(id)+"/")
		reads = append(reads, one(liveOf(part)))
		below("delegated/", string(id)+"/")
		below("serves/", string(id)+"/")
		of(model.KindSeen, model.KindDelivery)
	}
	return reads
}
