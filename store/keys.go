package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store/kv"
)

// These are the keys of a ledger. A ledger has a part for each agent: the records that the agent owns, what derives from them, and their
// history. Each key names the agent of its part; only about/ belongs to the whole ledger. A change writes the head of each part that it
// changes, so two changes to different parts share nothing but the revision.
//
// <n> is a number in eight bytes, big-endian, so that byte order is number order; <time> likewise; <~time> has the newest first. Ids
// contain no slash.
//
// The records, one whole record each. An id has one record of each kind:
//
//	agent/<agent>  item/<item>/<agent>  wait/<wait>/<agent>  task/<task>/<agent>  delegation/<delegation>/<parent agent>
//	brief/<item>/<agent>  delivery/<item>/<agent>  attempt/<item>/<agent>  trace/<item, or @agent>/<agent>
//	message/<message>/<agent>  ingress/<ingress>/<agent>  offers/<item>/<agent>  seen/<item>/<agent>
//
// The history, which only grows at its end:
//
//	journal/<revision>/<agent>   what a change did to the agent's part: what it wrote, its events, by whom, and the receipt
//
// Derived from the records; vise checks and rebuilds them from the records:
//
//	index/<agent>/<class>/<sort key>                      an item's row; the sort key ends in its id
//	due/<agent>/<time>/<item>/<wait>                      a recheck (no wait) or a timer
//	handle/<handle>/<agent>                               the item's id
//	waits/<agent>/<item>/a/<time>/<wait>                  active waits, by creation
//	waits/<agent>/<item>/c/<~time>/<wait>                 cancelled waits
//	resource/<agent>/<kind>/<hash>/<time>/<wait>          active waits on a resource
//	running/<agent>/<item>/<time>/<task>                  running tasks that block
//	tasks/<agent>/r/<time>/<task>                         running tasks, by creation
//	tasks/<agent>/e/<~time>/<task>                        ended tasks
//	queue/<agent>/<priority>/<time>/<message>             queued messages
//	ingresses/<agent>/<time>/<ingress>                    capabilities of senders outside, by creation
//	delegated/<agent>/<item>/<time>/<delegation>          open delegations of a parent's item
//	serves/<child agent>/<child item>/<time>/<delegation> the same, by the child's item
//	inbox/<need>/<time>/<item>/<agent>                    what needs the operator, across agents
//	done/<~time>/<item>/<agent>                           completed items of all agents
//	awaited/<agent>/<item>                                items whose plan file shall get an edit of another machine
//
// Derived from the journal:
//
//	log/<agent>/<revision>             the changes of an agent's part; of one in the archive, the answer to its key while that is kept
//	trail/<agent>/<item>/<revision>    the changes with events of an item
//	agent-head/<agent>                 the agent's newest change, its hash, and the number of items in each tally
//	key/<hash>/<agent>                 the revision of the change with the idempotency key that has this hash
//
// Beside the records, on a cluster alone (see saveBody); a copy of the ledger elsewhere leaves them out:
//
//	plan/<agent>/<item>/kept        the hashes of the plans whose whole text is kept, oldest first
//	plan/<agent>/<item>/<sha256>/0  such a text
//
//	about/home  about/head                            the home's id, the newest revision
//	about/format  about/schema                        the format's name and its schema: see formatName
//	about/epoch                                       of a ledger on a cluster: how often it was made, moved or restored
//	about/state                                      whether the ledger is open: see status
//	about/archive                                    of a ledger on a cluster: where the files with its older changes are
//	about/texts                                      of a ledger on a cluster: how far the plans of completed items are in the archive
//
// The small values that every commit writes start with the same letter, so that they share a page.
const (
	TableJournal = "journal/"
	TableHead    = "agent-head/"
	tableAnswer  = "key/"
	TableTrail   = "trail/"
	TableLog     = "log/"
	tableHandle  = "handle/"
	tableInbox   = "inbox/"
	tableDue     = "due/"
	TableDone    = "done/"
	tableIngress = "ingresses/" // of senders outside
	tableAwaited = "awaited/"
	TablePlan    = "plan/"
)

var (
	KeyHome   = []byte("about/home")
	KeyFormat = []byte("about/format")
	KeySchema = []byte("about/schema")
	KeyHead   = []byte("about/head")
	KeyEpoch  = []byte("about/epoch")
	KeyStatus = []byte("about/state")
)

// Tables are the prefixes of all keys, in order. A program that compares or copies a ledger key
// by key scans each of them.
var Tables = []string{
	"about/", TableHead, "agent/", "attempt/", tableAwaited, "brief/", "delegated/", "delegation/", "delivery/", TableDone, tableDue,
	tableHandle,
	tableInbox, "index/", "ingress/", tableIngress, "item/", TableJournal, tableAnswer, TableLog, "message/", "offers/",
	TablePlan, "queue/", "resource/", "running/", "seen/", "serves/",
	"task/", "tasks/", "trace/", TableTrail, "wait/", "waits/",
}

func cat(parts ...string) []byte { return []byte(strings.Join(parts, "")) }

func number(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

// instant returns t in eight bytes that sort by time, and NewestFirst in eight bytes whose order is newest first. A time that nanoseconds
// since 1970 cannot express sorts at the ends.
func instant(t time.Time) string     { return number(ordered(t)) }
func NewestFirst(t time.Time) string { return number(^ordered(t)) }

func ordered(t time.Time) uint64 {
	n := t.UnixNano()
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		n = math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		n = math.MaxInt64
	}
	return uint64(n) ^ 1<<63
}

// PartOf returns the agent whose part of the ledger a key belongs to; empty for a key of the whole ledger. The agent is the last segment of
// a key of a record, a handle, an answer, the journal, the inbox or the completed items, and otherwise the one after the table's name.
func PartOf(key []byte) model.AgentID {
	name, rest, _ := bytes.Cut(key, []byte("/"))
	switch table := string(name) + "/"; {
	case table == "about/":
		return ""
	case slices.Contains([]string{TableJournal, tableInbox, TableDone, tableHandle, tableAnswer}, table) || model.RecordKind(name).Known():
		return model.AgentID(key[bytes.LastIndexByte(key, '/')+1:])
	}
	agent, _, _ := bytes.Cut(rest, []byte("/"))
	return model.AgentID(agent)
}

// numberSize is the size of a number in a key.
const numberSize = 8

// NumberAt reads the number at the end of a key. A damaged key gives zero.
func NumberAt(key []byte) uint64 {
	if len(key) < numberSize {
		return 0
	}
	return binary.BigEndian.Uint64(key[len(key)-numberSize:])
}

// recordKey is the key of a record.
func recordKey(n model.RecordName, part model.AgentID) []byte {
	if n.Kind == model.KindAgent {
		return cat(string(n.Kind), "/", n.Key)
	}
	return cat(string(n.Kind), "/", n.Key, "/", string(part))
}

// recordsFrom is the prefix of the keys of a kind of records whose names begin with from.
func recordsFrom(kind model.RecordKind, from string) []byte { return cat(string(kind), "/", from) }

// recordIn reads a record's name and its part from its key.
func recordIn(key []byte) (n model.RecordName, part model.AgentID) {
	kind, rest, _ := strings.Cut(string(key), "/")
	name, agent, _ := strings.Cut(rest, "/")
	n = model.RecordName{Kind: model.RecordKind(kind), Key: name}
	if n.Kind == model.KindAgent {
		agent = name
	}
	return n, model.AgentID(agent)
}

func indexPrefix(a model.AgentID, c model.Class) []byte {
	return cat("index/", string(a), "/", string(c), "/")
}

func indexKey(r model.Row) []byte {
	return append(indexPrefix(r.AgentID, r.Class), r.SortKey()...)
}

func duePrefix(a model.AgentID) []byte { return cat(tableDue, string(a), "/") }

func dueKey(a model.AgentID, d model.Due) []byte {
	return append(duePrefix(a), cat(instant(d.At), "/", string(d.ItemID), "/", string(d.WaitID))...)
}

func handleKey(h model.Handle, part model.AgentID) []byte {
	return cat(tableHandle, string(h), "/", string(part))
}

var (
	waitStatus = map[bool]string{true: "/a/", false: "/c/"} // active, cancelled
	taskStatus = map[bool]string{true: "/r/", false: "/e/"} // running, ended
)

func waitsPrefix(a model.AgentID, i model.ItemID, active bool) []byte {
	return cat("waits/", string(a), "/", string(i), waitStatus[active])
}

func waitedPrefix(a model.AgentID, k model.WaitKind) []byte {
	return cat("resource/", string(a), "/", string(k), "/")
}

func resourcePrefix(a model.AgentID, k model.WaitKind, resource model.Text) []byte {
	return append(waitedPrefix(a, k), model.Hash(string(resource))[:16]+"/"...)
}

func runningPrefix(a model.AgentID, i model.ItemID) []byte {
	return cat("running/", string(a), "/", string(i), "/")
}

func tasksPrefix(a model.AgentID, running bool) []byte {
	return cat("tasks/", string(a), taskStatus[running])
}

func queuePrefix(a model.AgentID) []byte { return cat("queue/", string(a), "/") }

// queueLane is the prefix of one priority in an agent's queue.
func queueLane(a model.AgentID, p model.Priority) []byte {
	return append(queuePrefix(a), byte('0'+slices.Index(model.Priorities, p)), '/')
}

func ingressPrefix(a model.AgentID) []byte { return cat(tableIngress, string(a), "/") }

func delegatedPrefix(a model.AgentID, i model.ItemID) []byte {
	return cat("delegated/", string(a), "/", string(i), "/")
}

func servesPrefix(a model.AgentID, child model.ItemID) []byte {
	return cat("serves/", string(a), "/", string(child), "/")
}

// aged appends a creation time and an id to a prefix, and newestAged does so in the opposite order. The id begins AgeSize bytes after
// the prefix.
func aged(prefix []byte, created time.Time, id string) []byte {
	return append(prefix, cat(instant(created), "/", id)...)
}

func newestAged(prefix []byte, created time.Time, id string) []byte {
	return append(prefix, cat(NewestFirst(created), "/", id)...)
}

const AgeSize = 8 + 1

func HeadKey(a model.AgentID) []byte { return cat(TableHead, string(a)) }

func answerKey(key string, part model.AgentID) []byte {
	return cat(tableAnswer, model.Hash(key)[:32], "/", string(part))
}

func JournalKey(revision uint64, part model.AgentID) []byte {
	return cat(TableJournal, number(revision), "/", string(part))
}

// journalOf is the prefix of a change's keys in the journal.
func journalOf(revision uint64) []byte { return cat(TableJournal, number(revision)) }

// ChangeIn reads the revision and the part from a key of the journal. A damaged key gives zero.
func ChangeIn(key []byte) (revision uint64, part model.AgentID) {
	rest := key[min(len(key), len(TableJournal)):]
	if len(rest) <= numberSize {
		return 0, ""
	}
	return binary.BigEndian.Uint64(rest), model.AgentID(rest[numberSize+1:])
}

func trailPrefix(a model.AgentID, i model.ItemID) []byte {
	return cat(TableTrail, string(a), "/", string(i), "/")
}

func logPrefix(a model.AgentID) []byte { return cat(TableLog, string(a), "/") }

func LogKey(a model.AgentID, revision uint64) []byte {
	return append(logPrefix(a), number(revision)...)
}

// A value is its payload followed by a CRC32C of key and payload. The payload is JSON, except
// in index rows. bbolt has no checksums of its own: 312 of 2,100 random damages led to wrong
// data although bbolt's own check found nothing. A key without a value has no checksum.

func Encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

// Decode decodes a payload into v, which points to a zero value.
func Decode(key, payload []byte, v any) error {
	if err := json.Unmarshal(payload, v); err != nil {
		return kv.Damaged("read", "the value of %q: %v", key, err)
	}
	return nil
}

// DecodeValue decodes the value at key, with its checksum, into v.
func DecodeValue(key, value []byte, v any) error {
	payload, err := kv.Unframe(key, value)
	if err != nil {
		return err
	}
	return Decode(key, payload, v)
}

func decodeRecord(kind model.RecordKind, key, payload []byte) (model.Record, error) {
	r, err := model.ReadRecord(kind, payload)
	if err != nil {
		return nil, kv.Damaged("read", "the value of %q: %v", key, err)
	}
	return r, nil
}
