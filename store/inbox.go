package store

import (
	"slices"
	"time"

	"vise/model"
)

// What needs the operator, and what is finished, is indexed across agents: an inbox of a
// thousand agents costs what it shows. (The keys are the item's own: no two agents contend
// for one.)

// inboxPrefix is the part of the inbox that holds one need.
func inboxPrefix(n model.Need) []byte {
	return cat(tableInbox, string(rune('a'+slices.Index(model.Needs, n))), "/")
}

func inboxKey(x model.Inboxed) []byte {
	at := instant(x.Since)
	if !x.Need.OfOpenItem() {
		at = newestFirst(x.Since)
	}
	return append(inboxPrefix(x.Need), cat(at, "/", string(x.ID))...)
}

func doneKey(r model.Row) []byte { return cat(tableDone, newestFirst(r.UpdatedAt), "/", string(r.ID)) }

// newestFirst is t in eight bytes that sort from the newest on.
func newestFirst(t time.Time) string {
	b := []byte(instant(t))
	for i := range b {
		b[i] = ^b[i]
	}
	return string(b)
}

// addAttention is an item's part of the inbox and of what is finished.
func (f *facts) addAttention(d *derived, w model.WorkItem, waits []model.Wait, row model.Row) {
	if w.State == model.Completed {
		d.rows[string(doneKey(row))] = encodeRow(row)
	}
	x, ok := model.InboxOf(f, w, waits, row.IsCurrent)
	if !ok {
		return
	}
	d.rows[string(inboxKey(x))] = encodeInboxed(x)
	if !x.Seen {
		d.tallies = append(d.tallies, model.NeedTally(x.Need))
	}
}

// An inbox row is an item's row behind since when, and whether it was seen.
func encodeInboxed(x model.Inboxed) []byte {
	w := rowWriter(make([]byte, 0, 340))
	w.flags(x.Seen, false, false)
	w.time(x.Since)
	return append(w, encodeRow(x.Row)...)
}

func decodeInboxed(need model.Need, b []byte) (model.Inboxed, error) {
	r := rowReader{bytes: b}
	x := model.Inboxed{Need: need}
	x.Seen, _, _ = r.flags()
	x.Since = r.time()
	if r.short {
		return x, &damage{"read", "an inbox row is cut"}
	}
	var err error
	x.Row, err = decodeRow(b[r.at:])
	return x, err
}

func (r reader) Inbox(need model.Need, visit func(model.Inboxed) bool) {
	r.scan(Prefix(inboxPrefix(need)), func(key, value []byte) bool {
		payload, err := unframe(key, value)
		var x model.Inboxed
		if err == nil {
			x, err = decodeInboxed(need, payload)
		}
		r.fail(err)
		return err == nil && visit(x)
	})
}

func (r reader) Finished(after *model.Row, limit int) []model.Row {
	keys := Prefix([]byte(tableDone))
	if after != nil {
		keys.From = append(doneKey(*after), 0)
	}
	return rowsIn(r.facts, keys, limit, readRow)
}

// addAttention fills both indexes of a ledger that was written without them.
func addAttention(t Txn) error {
	prefix := recordKey(model.KindItem, "")
	var ids []model.ItemID
	if err := t.Scan(Prefix(prefix), func(key, _ []byte) bool {
		ids = append(ids, model.ItemID(key[len(prefix):]))
		return true
	}); err != nil {
		return err
	}
	var all []derived
	for _, id := range ids {
		f := newFacts(t)
		w, _ := f.Item(id)
		a, _ := f.Agent(w.AgentID)
		waits := f.ItemWaits(w.AgentID, id)
		d := derived{agent: w.AgentID, rows: map[string][]byte{}}
		f.addAttention(&d, w, waits, model.RowOf(w, waits, a.CurrentWorkItemID == id))
		f.replace([]derived{{}}, []derived{d})
		if f.err != nil {
			return f.err
		}
		all = append(all, derived{agent: d.agent, tallies: d.tallies})
	}
	f := newFacts(t)
	f.recount(nil, all)
	return f.err
}
