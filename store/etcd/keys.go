package etcd

import (
	"bytes"
	"strings"

	"vise/model"
	"vise/store"
)

// A ledger's keys are stored below /vise/<ledger id>/, in three spaces:
//
//	f/<table>/<agent>/…   of each part, what a console shows of all agents: its head, the agent, its inbox, its lists of items,
//	                      and the plans whose file awaits an edit
//	p/<agent>/<table>/…   the rest of each part, also its handles and the keys of its commands
//	n/…                   what belongs to the whole ledger
//
// So a console watches one prefix, and a permission to write a part is a few prefixes and keys, of nobody else's names. Which part has a
// name is stored nowhere: all are asked for it (partsOf). Within a table of a part, stored keys have the order of the ledger's keys. The
// history is stored newest first, because that is how it is read in pages, and etcd reads a range to its end before it reverses it.
const (
	spaceShown = "f/"
	spaceParts = "p/"
	spaceWhole = "n/"
)

const (
	tableHead   = "agent-head/"
	tableInbox  = "inbox/"
	tableItem   = "item/"
	tableHandle = "handle/"
	tableAnswer = "key/"
)

// table is how the keys of a table are stored. Its name ends with a slash.
type table struct {
	name string
	// whole: the keys belong to the whole ledger. last: they end with the agent of their part; otherwise the agent comes first.
	whole, last bool
	shown       bool // in spaceShown
	named       bool // the keys are a name and the agent
	record      bool // the names are ids: each is of one part
	newest      bool // the keys have a number, and are stored newest first
	// refers is the kind of the records to which the table's keys refer: they end with an id, or with an id and the agent.
	refers model.RecordKind
	// history: the keys end with the number of a change of the history, to which those without a value refer.
	history bool
	fixed   int // the size of what begins the keys and can have slashes in a number
}

var tables = func() map[string]table {
	all := map[string]table{}
	set := func(change func(*table), names ...string) {
		for _, name := range names {
			t := all[name]
			change(&t)
			all[name] = t
		}
	}
	for _, name := range store.Tables {
		part := store.PartOf([]byte(name + "first/last"))
		all[name] = table{name: name, whole: part == "", last: part == "last"}
	}
	for _, kind := range model.Kinds() { // the key of an agent is its id
		set(func(t *table) { t.record = kind != model.KindAgent; t.named, t.last = t.record, t.record }, string(kind)+"/")
	}
	set(func(t *table) { t.named = true }, tableHandle, tableAnswer)
	set(func(t *table) { t.shown = true }, tableHead, "agent/", tableInbox, "index/", "awaited/")
	set(func(t *table) { t.newest = true }, "journal/", "log/")
	set(func(t *table) { t.history = true }, "trail/", "log/")
	set(func(t *table) { t.fixed = len("a/") + numberSize + 1 }, tableInbox)
	set(func(t *table) { t.fixed = numberSize + 1 }, "done/")
	for kind, names := range map[model.RecordKind][]string{
		model.KindWait: {"waits/"}, model.KindMessage: {"queue/"}, model.KindTask: {"running/", "tasks/"},
		model.KindDelegation: {"delegated/"}, model.KindIngress: {"ingresses/"}, model.KindItem: {"index/", tableInbox, "done/"},
	} {
		set(func(t *table) { t.refers = kind }, names...)
	}
	return all
}()

// referred is the key of the record, or of the change of the history, to which an entry of a list refers; nil for others.
func referred(key, value []byte) []byte {
	t, part := tableOf(key), "/"+string(store.PartOf(key))
	rest := string(key[len(t.name):])
	switch {
	case t.history && len(value) == 0:
		return []byte("journal/" + rest[max(len(rest)-numberSize, 0):] + part)
	case t.refers == "":
		return nil
	case t.name == "index/": // two times precede the id
		_, rest, _ = strings.Cut(strings.TrimPrefix(rest, part[1:]+"/"), "/")
		rest = rest[min(len(rest), 2*numberSize):]
	case t.last:
		rest = strings.TrimSuffix(rest, part)
	}
	return []byte(string(t.refers) + "/" + rest[strings.LastIndexByte(rest, '/')+1:] + part)
}

// tableOf is the table of a key, or of a key that begins a range.
func tableOf(key []byte) table {
	name := string(key[:bytes.IndexByte(key, '/')+1])
	if t, known := tables[name]; known {
		return t
	}
	return table{name: name, whole: name == ""}
}

// headOf is where the head of a part is stored.
func headOf(part model.AgentID) string { return spaceShown + tableHead + string(part) }

// pathOf is where a key is stored; empty for a key that is not of its table's form.
func pathOf(key []byte) string {
	t, part := tableOf(key), store.PartOf(key)
	if t.whole {
		return spaceWhole + string(key)
	}
	if part == "" {
		return ""
	}
	if !t.last {
		rest := string(key[len(t.name)+len(part):])
		if t.newest {
			if len(rest) != 1+numberSize {
				return ""
			}
			rest = "/" + inverted(rest[1:])
		}
		return t.of(part) + rest
	}
	rest := string(key[len(t.name) : len(key)-len(part)])
	switch {
	case rest == "" || t.newest && len(rest) != numberSize+1:
		return ""
	case t.newest:
		rest = inverted(rest)
	}
	return t.of(part) + rest
}

// of is where the paths of a part's keys in the table begin. What follows begins with a slash if the agent comes first in the keys.
func (t table) of(part model.AgentID) string {
	name := t.name
	if !t.last {
		name = strings.TrimSuffix(name, "/")
	}
	switch {
	case t.shown && t.last:
		return spaceShown + t.name + string(part) + "/"
	case t.shown:
		return spaceShown + t.name + string(part)
	}
	return spaceParts + string(part) + "/" + name
}

// numberSize is the size of a number in a key.
const numberSize = 8

// inverted inverts the number at the beginning of s, so that order is reversed.
func inverted(s string) string {
	b := []byte(s)
	for i := range min(numberSize, len(b)) {
		b[i] = ^b[i]
	}
	return string(b)
}

// keyAt is the key that is stored at a path; nil for a path of another form.
func keyAt(path string) []byte {
	space, rest := path[:min(len(path), len(spaceWhole))], path[min(len(path), len(spaceWhole)):]
	first, then, _ := strings.Cut(rest, "/")
	switch {
	case space == spaceWhole:
		return []byte(rest)
	case space == spaceShown && !tables[first+"/"].last:
		return []byte(rest)
	case space == spaceShown:
		part, rest, _ := strings.Cut(then, "/")
		return []byte(first + "/" + rest + part)
	case space != spaceParts:
		return nil
	}
	name, rest, more := strings.Cut(then, "/")
	t := tables[name+"/"]
	if t.newest {
		rest = inverted(rest)
	}
	switch {
	case t.last:
		return []byte(name + "/" + rest + first)
	case more:
		rest = "/" + rest
	}
	return []byte(name + "/" + first + rest)
}

// span is a range of paths: from <= path < to. part is empty if they are of several parts or of none.
type span struct {
	from, to string
	part     model.AgentID
}

// beginning is the span of the paths that begin with p.
func beginning(p string) span { return span{from: p, to: string(store.Prefix([]byte(p)).To)} }

// within is the span of the paths in a part that the keys of a range can have. It is exact but for a few keys, which the caller leaves
// out. ok is false if there are none.
func (t table) within(part model.AgentID, r store.Range) (s span, ok bool) {
	own := t.name
	if !t.last {
		own += string(part)
	}
	from, fromInside := strings.CutPrefix(string(r.From), own)
	to, toInside := strings.CutPrefix(string(r.To), own)
	if !fromInside && string(r.From) > own || !toInside && string(r.To) <= own {
		return s, false
	}
	base := t.of(part)
	if !fromInside {
		from = ""
	}
	if t.newest && !t.last {
		var before, after bool
		if from, _, after = number(from); after {
			return s, false
		}
		if to, before, after = number(to); before {
			return s, false
		}
		base, toInside = base+"/", toInside && !after
	}
	if t.newest {
		s = newestWithin(base, from, to, toInside)
		s.part = part
		return s, s.from < s.to
	}
	s = beginning(base)
	s.part = part
	if fromInside {
		s.from = base + t.least(from, part)
	}
	if toInside {
		s.to = base + to
	}
	return s, s.from < s.to
}

// number is what follows the slash before a number. Otherwise, before and after tell where s is among keys with the slash.
func number(s string) (rest string, before, after bool) {
	rest, ok := strings.CutPrefix(s, "/")
	if ok {
		return rest, false, false
	}
	return "", s < "/", s > "/"
}

// least is the least path, after the table's, whose key is not less than from. If the keys end with the agent, this can be a beginning
// of from.
func (t table) least(from string, part model.AgentID) string {
	i := strings.LastIndexByte(from, '/') + 1
	if t.last && i > t.fixed && from[:i]+string(part) >= from {
		return from[:i]
	}
	return from
}

// newestWithin is within for keys that are stored newest first: a number and perhaps a slash.
func newestWithin(base, from, to string, bounded bool) span {
	number := func(s string) string { return inverted((s + strings.Repeat("\x00", numberSize))[:numberSize]) }
	const after = "0" // follows the slash
	s := span{from: base, to: base + number(from) + after}
	if bounded {
		s.from = base + number(to)
		if len(to) <= numberSize {
			s.from += after
		}
	}
	return s
}

// onePart is the part that all keys of a range belong to, if the range shows it.
func (t table) onePart(r store.Range) (model.AgentID, bool) {
	if t.whole || t.last {
		return "", false
	}
	part, ok := t.segment(r)
	return model.AgentID(part), ok
}

// oneName is the name of which a range is, if the range shows it.
func (t table) oneName(r store.Range) (string, bool) {
	if !t.named {
		return "", false
	}
	return t.segment(r)
}

// segment is what all keys of a range have between the table's name and the next slash.
func (t table) segment(r store.Range) (string, bool) {
	rest, inside := bytes.CutPrefix(r.From, []byte(t.name))
	segment, _, found := bytes.Cut(rest, []byte("/"))
	if !inside || !found || len(segment) == 0 {
		return "", false
	}
	return string(segment), string(r.To) <= t.name+string(segment)+"0" // "0" follows the slash
}
