package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"time"

	"vise/model"
)

// What lies under which key. <n> are eight bytes, big-endian, so that byte order is
// number order; <time> likewise; <pos> is a place in the journal, <n> and four bytes more.
// Ids hold no slash.
//
// Truth, one whole record each:
//
//	agent/<agent>  item/<item>  wait/<wait>  task/<task>  delegation/<delegation>
//	brief/<item>  delivery/<item>  attempt/<item>  trace/<item, or @agent>
//	message/<message>  ingress/<ingress>  offers/<item>  seen/<item>
//
// History, only ever appended:
//
//	journal/<pos>   with place 0 the commit (what was written, by whom, and the receipt),
//	                from place 1 on its events
//
// Derived from the records, and provable and rebuildable from them:
//
//	index/<agent>/<class>/<sort key>                 an item's row; the sort key ends in its id
//	due/<agent>/<time>/<item>/<wait>                 a recheck (no wait) or a timer
//	handle/<handle>                                  the item's id
//	waits/<agent>/<item>/<a|c>/<time>/<wait>         active and cancelled waits, by creation
//	resource/<agent>/<kind>/<hash>/<time>/<wait>     active waits on a resource
//	running/<agent>/<item>/<time>/<task>             blocking tasks that run
//	tasks/<agent>/<r|e>/<time>/<task>                running and ended tasks, by creation
//	queue/<agent>/<priority>/<time>/<message>        queued messages
//	ingresses/<agent>/<time>/<ingress>               capabilities of the outside, by creation
//	delegated/<agent>/<item>/<time>/<delegation>     open delegations of a parent's item
//	serves/<child item>/<time>/<delegation>          the same by the child
//	inbox/<need>/<time>/<item>                       what needs the operator, of all agents
//	done/<time>/<item>                               completed items of all agents, newest first
//	agent-count/<agent>                              how many items each tally counts
//
// Derived from the journal:
//
//	trail/<item>/<pos>   log/<agent>/<pos>           an item's and an agent's events
//	agent-head/<agent>                               the agent's last sequence number and hash
//	key/<idempotency key>                            the revision that the key made
//
//	about/home  about/schema  about/head             whose ledger, which layout, how far
//
// What every commit writes and is small begins with the same letter: it shares a page.
const (
	tableJournal = "journal/"
	tableCount   = "agent-count/"
	tableHead    = "agent-head/"
	tableAnswer  = "key/"
	tableTrail   = "trail/"
	tableLog     = "log/"
	tableHandle  = "handle/"
	tableInbox   = "inbox/"
	tableDue     = "due/"
	tableDone    = "done/"
	tableIngress = "ingresses/" // capabilities of the outside
)

var (
	keyHome   = []byte("about/home")
	keySchema = []byte("about/schema")
	keyHead   = []byte("about/head")
)

// Tables are the beginnings of all keys, in order: who compares or copies a ledger key by
// key scans each.
var Tables = []string{
	"about/", tableCount, tableHead, "agent/", "attempt/", "brief/", "delegated/", "delegation/", "delivery/", tableDone, tableDue,
	tableHandle,
	tableInbox, "index/", "ingress/", tableIngress, "item/", tableJournal, tableAnswer, tableLog, "message/", "offers/",
	"queue/", "resource/", "running/", "seen/", "serves/",
	"task/", "tasks/", "trace/", tableTrail, "wait/", "waits/",
}

func cat(parts ...string) []byte {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	key := make([]byte, 0, n)
	for _, p := range parts {
		key = append(key, p...)
	}
	return key
}

func number(n uint64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n)
	return string(b[:])
}

// instant is t in eight bytes that sort by time; what nanoseconds since 1970 cannot hold
// sorts at the ends.
func instant(t time.Time) string {
	n := t.UnixNano()
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		n = math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		n = math.MaxInt64
	}
	return number(uint64(n) ^ 1<<63)
}

const positionSize = 8 + 4

func position(p model.Position) string {
	var b [positionSize]byte
	binary.BigEndian.PutUint64(b[:], p.Revision)
	binary.BigEndian.PutUint32(b[8:], uint32(p.N))
	return string(b[:])
}

// positionAt reads the position that a key ends with; a damaged key has none.
func positionAt(key []byte) model.Position {
	if len(key) < positionSize {
		return model.Position{}
	}
	b := key[len(key)-positionSize:]
	return model.Position{Revision: binary.BigEndian.Uint64(b), N: int(binary.BigEndian.Uint32(b[8:]))}
}

func recordKey(k model.RecordKind, key string) []byte { return cat(string(k), "/", key) }

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

func handleKey(h model.Handle) []byte { return cat(tableHandle, string(h)) }

var (
	waitStatus = map[bool]string{true: "/a/", false: "/c/"} // active, cancelled
	taskStatus = map[bool]string{true: "/r/", false: "/e/"} // running, ended
)

func waitsPrefix(a model.AgentID, i model.ItemID, active bool) []byte {
	return cat("waits/", string(a), "/", string(i), waitStatus[active])
}

func resourcePrefix(a model.AgentID, k model.WaitKind, resource model.Text) []byte {
	sum := sha256.Sum256([]byte(resource))
	return cat("resource/", string(a), "/", string(k), "/", hex.EncodeToString(sum[:8]), "/")
}

func runningPrefix(a model.AgentID, i model.ItemID) []byte {
	return cat("running/", string(a), "/", string(i), "/")
}

func tasksPrefix(a model.AgentID, running bool) []byte {
	return cat("tasks/", string(a), taskStatus[running])
}

func queuePrefix(a model.AgentID) []byte { return cat("queue/", string(a), "/") }

// queueLane is the part of an agent's queue that holds one priority.
func queueLane(a model.AgentID, p model.Priority) []byte {
	return append(queuePrefix(a), byte('0'+slices.Index(model.Priorities, p)), '/')
}

func ingressPrefix(a model.AgentID) []byte { return cat(tableIngress, string(a), "/") }

func delegatedPrefix(a model.AgentID, i model.ItemID) []byte {
	return cat("delegated/", string(a), "/", string(i), "/")
}

func servesPrefix(child model.ItemID) []byte { return cat("serves/", string(child), "/") }

// aged completes a prefix with a creation time and an id, which begins ageSize later.
func aged(prefix []byte, created time.Time, id string) []byte {
	return append(prefix, cat(instant(created), "/", id)...)
}

const ageSize = 8 + 1

func countKey(a model.AgentID) []byte { return cat(tableCount, string(a)) }

func agentHeadKey(a model.AgentID) []byte { return cat(tableHead, string(a)) }

func answerKey(key string) []byte { return cat(tableAnswer, key) }

func journalKey(p model.Position) []byte { return cat(tableJournal, position(p)) }

func trailPrefix(i model.ItemID) []byte { return cat(tableTrail, string(i), "/") }

func logPrefix(a model.AgentID) []byte { return cat(tableLog, string(a), "/") }

// A value is its payload, JSON but for index rows, followed by a CRC32C of key and
// payload: bbolt has no checksums of its own, and 312 of 2,100 random damages read wrong
// data while its own check was clean. A key without a value needs none.

const checksumSize = 4

// checksum is the CRC32C of the parts, one after the other.
func checksum(parts ...[]byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli) // made once, at the first call
	var sum uint32
	for _, p := range parts {
		sum = crc32.Update(sum, table, p)
	}
	return sum
}

// frame appends the checksum to payload, in place when its capacity allows.
func frame(key, payload []byte) []byte {
	return binary.BigEndian.AppendUint32(payload, checksum(key, payload))
}

// unframe returns the payload of what lies at key.
func unframe(key, value []byte) ([]byte, error) {
	n := len(value) - checksumSize
	if n < 0 || binary.BigEndian.Uint32(value[n:]) != checksum(key, value[:n]) {
		return nil, &damage{"read", fmt.Sprintf("the value of %q does not match its checksum", key)}
	}
	return value[:n], nil
}

// encode is v as JSON.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

// decode reads a payload into v, which points to a zero value.
func decode(key, payload []byte, v any) error {
	if err := json.Unmarshal(payload, v); err != nil {
		return &damage{"read", fmt.Sprintf("the value of %q: %v", key, err)}
	}
	return nil
}

// decodeRecord reads a record of a kind.
func decodeRecord(kind model.RecordKind, key, payload []byte) (model.Record, error) {
	r, err := model.ReadRecord(kind, payload)
	if err != nil {
		return nil, &damage{"read", fmt.Sprintf("the value of %q: %v", key, err)}
	}
	return r, nil
}

// A row of the class index is read twenty at a time for every frame of a list. JSON takes
// 8 µs a row; this form, fields in a fixed order, takes less than one.

// encodeRow writes a row's fields, each as a length or number and its bytes.
func encodeRow(r model.Row) []byte {
	w := rowWriter(make([]byte, 0, 320))
	w.text(string(r.ID), string(r.Handle), string(r.AgentID), string(r.Objective), string(r.Class), string(r.Scheduling),
		r.ReasonCode, string(r.PlanStatus), string(r.BlockedBy), string(r.Todo.Current), string(r.Wait.Kind),
		string(r.Wait.Source), string(r.Wait.Resource), string(r.Wait.Question), string(r.Wait.TriggeredBy))
	w.number(r.Revision, uint64(r.Todo.Done), uint64(r.Todo.Total))
	w.flags(r.IsCurrent, r.NeedsOperator, r.Reported, r.Priority == model.PriorityHigh, r.Priority == model.PriorityLow,
		r.Wait.Checked != "")
	w.time(r.Wait.WakeAt, r.Wait.LastTriggeredAt, r.RecheckAt, r.CreatedAt, r.UpdatedAt)
	if r.Wait.Checked != "" {
		w.text(string(r.Wait.Checked))
	}
	return w
}

func decodeRow(b []byte) (model.Row, error) {
	// One string holds all texts of the row, which are parts of it.
	r := rowReader{bytes: b, all: string(b)}
	row := model.Row{
		ID: model.ItemID(r.text()), Handle: model.Handle(r.text()), AgentID: model.AgentID(r.text()), Objective: model.Text(r.text()),
		Class: model.Class(r.text()), Scheduling: model.Scheduling(r.text()), ReasonCode: r.text(), PlanStatus: model.PlanStatus(r.text()),
		BlockedBy: model.Text(r.text()), Todo: model.TodoGist{Current: model.Text(r.text())},
		Wait: model.WaitGist{Kind: model.WaitKind(r.text()), Source: model.Text(r.text()), Resource: model.Text(r.text()),
			Question: model.Text(r.text()), TriggeredBy: model.Text(r.text())},
	}
	row.Revision, row.Todo.Done, row.Todo.Total = r.number(), int(r.number()), int(r.number())
	flags := r.number()
	row.IsCurrent, row.NeedsOperator, row.Reported = flags&1 != 0, flags&2 != 0, flags&4 != 0
	row.Priority = map[uint64]model.ItemPriority{8: model.PriorityHigh, 16: model.PriorityLow}[flags&24]
	row.Wait.WakeAt, row.Wait.LastTriggeredAt, row.RecheckAt, row.CreatedAt, row.UpdatedAt = r.time(), r.time(), r.time(), r.time(),
		r.time()
	if flags&32 != 0 { // rows of before have none
		row.Wait.Checked = model.Text(r.text())
	}
	if r.short || r.at != len(b) {
		return row, &damage{"read", fmt.Sprintf("a row of %d bytes ends at %d", len(b), r.at)}
	}
	return row, nil
}

type rowWriter []byte

func (w *rowWriter) number(ns ...uint64) {
	for _, n := range ns {
		*w = binary.AppendUvarint(*w, n)
	}
}

func (w *rowWriter) text(texts ...string) {
	for _, s := range texts {
		w.number(uint64(len(s)))
		*w = append(*w, s...)
	}
}

func (w *rowWriter) flags(list ...bool) {
	var n uint64
	for i, f := range list {
		if f {
			n |= 1 << i
		}
	}
	w.number(n)
}

// time writes seconds and nanoseconds; the zero time has its own seconds.
func (w *rowWriter) time(ts ...time.Time) {
	for _, t := range ts {
		*w = binary.AppendVarint(*w, t.Unix())
		w.number(uint64(t.Nanosecond()))
	}
}

// rowReader reads what rowWriter wrote. Past the end it reads zeros, and is short.
type rowReader struct {
	bytes []byte
	all   string
	at    int
	short bool
}

func (r *rowReader) number() uint64 {
	n, size := binary.Uvarint(r.bytes[r.at:])
	return read(r, n, size)
}

func (r *rowReader) text() string {
	n := r.number()
	if n > uint64(len(r.bytes)-r.at) {
		r.short = true
		return ""
	}
	s := r.all[r.at : r.at+int(n)]
	r.at += int(n)
	return s
}

func (r *rowReader) time() time.Time {
	n, size := binary.Varint(r.bytes[r.at:])
	seconds := read(r, n, size)
	t := time.Unix(seconds, int64(r.number())).UTC()
	if t.IsZero() {
		return time.Time{}
	}
	return t
}

func read[N int64 | uint64](r *rowReader, n N, size int) N {
	if size <= 0 {
		r.short = true
		return 0
	}
	r.at += size
	return n
}
