package home

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"vise/model"
)

// homesReader reads the local home and the hosts as one. A question about an id goes to the home of that id. A question about all homes
// merges their answers. It implements model.Homes.
type homesReader struct {
	model.Records
	here  model.Reader
	hosts map[string]*snapshot
	names []string
	moves uint64
}

func newHomesReader(here model.Reader, hosts map[string]*snapshot, moves uint64) *homesReader {
	r := &homesReader{here: here, hosts: hosts, names: slices.Sorted(maps.Keys(hosts)), moves: moves}
	r.Get = func(n model.RecordName) (model.Record, bool) { return homeOf(r, n.Key).Record(n) }
	return r
}

// homeOf returns the home of an id.
func homeOf[ID ~string](r *homesReader, id ID) model.Reader {
	if s := r.hosts[model.HostOf(id)]; s != nil {
		return s
	}
	return r.here
}

func (r *homesReader) Here() model.Reader { return r.here }

func (r *homesReader) Hosts() iter.Seq2[string, model.Reader] {
	return func(yield func(string, model.Reader) bool) {
		for _, name := range r.names {
			if !yield(name, r.hosts[name]) {
				return
			}
		}
	}
}

func (r *homesReader) all() []model.Reader {
	out := []model.Reader{r.here}
	for _, host := range r.Hosts() {
		out = append(out, host)
	}
	return out
}

func (r *homesReader) Revision() uint64 { return r.here.Revision() + r.moves }

// Changed implements model.Reader.
func (r *homesReader) Changed(after uint64) (map[model.AgentID]bool, bool) {
	return nil, r.Revision() == after
}

func (r *homesReader) Item(id model.ItemID) (model.WorkItem, bool) { return homeOf(r, id).Item(id) }

func (r *homesReader) ItemWaits(a model.AgentID, id model.ItemID) []model.Wait {
	return homeOf(r, a).ItemWaits(a, id)
}

func (r *homesReader) WaitsOn(a model.AgentID, k model.WaitKind, on model.Text) []model.Wait {
	return homeOf(r, a).WaitsOn(a, k, on)
}

func (r *homesReader) BlockingTasks(a model.AgentID, id model.ItemID) []model.Task {
	return homeOf(r, a).BlockingTasks(a, id)
}

func (r *homesReader) Delegations(a model.AgentID, id model.ItemID) []model.Delegation {
	return homeOf(r, a).Delegations(a, id)
}

func (r *homesReader) ParentsOf(child model.ItemID) []model.Delegation {
	return homeOf(r, child).ParentsOf(child)
}

func (r *homesReader) ItemOf(h model.Handle) model.ItemID { return r.here.ItemOf(h) }

func (r *homesReader) QueuedMessages(a model.AgentID, limit int) []model.Message {
	return homeOf(r, a).QueuedMessages(a, limit)
}

func (r *homesReader) Rows(a model.AgentID, c model.Class, after *model.Row, limit int) []model.Row {
	return homeOf(r, a).Rows(a, c, after, limit)
}

func (r *homesReader) Count(a model.AgentID, t model.Tally) int { return homeOf(r, a).Count(a, t) }

func (r *homesReader) Due(a model.AgentID, now time.Time, limit int) []model.Due {
	return homeOf(r, a).Due(a, now, limit)
}

func (r *homesReader) Entries(id model.ItemID, limit int) []model.Entry {
	return homeOf(r, id).Entries(id, limit)
}

func (r *homesReader) ExternalWaits(a model.AgentID, after *model.Wait, limit int) []model.Wait {
	return homeOf(r, a).ExternalWaits(a, after, limit)
}

func (r *homesReader) RunningTasks(a model.AgentID, limit int) []model.Task {
	return homeOf(r, a).RunningTasks(a, limit)
}

func (r *homesReader) Tasks(a model.AgentID, limit int) []model.Task {
	return homeOf(r, a).Tasks(a, limit)
}

func (r *homesReader) Ingresses(a model.AgentID, limit int) []model.Ingress {
	return homeOf(r, a).Ingresses(a, limit)
}

func (r *homesReader) OpenDelegations(a model.AgentID, limit int) []model.Delegation {
	return homeOf(r, a).OpenDelegations(a, limit)
}

func (r *homesReader) Waits(a model.AgentID, id model.ItemID, limit int) []model.Wait {
	return homeOf(r, a).Waits(a, id, limit)
}

func (r *homesReader) ItemsOf(a model.AgentID, c model.Class, from string, limit int, may func(model.Row) bool) (
	[]model.WorkItem, string, int) {
	return homeOf(r, a).ItemsOf(a, c, from, limit, may)
}

// merged merges the sorted lists of several homes into one sorted list.
func merged[T any](homes []model.Reader, limit int, read func(model.Reader) []T, compare func(a, b T) int) []T {
	var out []T
	for _, home := range homes {
		out = append(out, read(home)...)
	}
	slices.SortStableFunc(out, compare)
	return out[:min(len(out), limit)]
}

func (r *homesReader) Agents(after model.AgentID, limit int) []model.Agent {
	read := func(home model.Reader) []model.Agent { return home.Agents(after, limit) }
	return merged(r.all(), limit, read, func(a, b model.Agent) int { return cmp.Compare(a.ID, b.ID) })
}

func (r *homesReader) Finished(after *model.Row, limit int) []model.Row {
	read := func(home model.Reader) []model.Row { return home.Finished(after, limit) }
	return merged(r.all(), limit, read, newestRow)
}

func (r *homesReader) Inbox(need model.Need, visit func(model.Inboxed) bool) {
	read := func(home model.Reader) (out []model.Inboxed) {
		home.Inbox(need, func(x model.Inboxed) bool {
			out = append(out, x)
			return len(out) < hostNeeds
		})
		return out
	}
	for _, x := range merged(r.all(), math.MaxInt, read, func(a, b model.Inboxed) int { return bySince(need, a, b) }) {
		if !visit(x) {
			return
		}
	}
}

// Items returns the items of the local home, then those of each host. A cursor begins with the home's name.
func (r *homesReader) Items(from string, limit int, may func([]byte) bool) (found []model.WorkItem, next string, looked int) {
	names := append([]string{""}, r.names...)
	name, at, _ := strings.Cut(from, "\x00")
	for i := max(slices.Index(names, name), 0); i < len(names); i, at = i+1, "" {
		home := r.here
		if names[i] != "" {
			home = r.hosts[names[i]]
		}
		some, on, n := home.Items(at, limit-len(found), may)
		found, looked = append(found, some...), looked+n
		switch {
		case on != "":
			return found, names[i] + "\x00" + on, looked
		case len(found) >= limit && i+1 < len(names):
			return found, names[i+1] + "\x00", looked
		}
	}
	return found, "", looked
}

// History of one agent comes from its home. History of all agents is ordered by the times that the homes' clocks gave.
func (r *homesReader) History(a model.AgentID, after model.Position, limit int) []model.Entry {
	if a != "" {
		return homeOf(r, a).History(a, after, limit)
	}
	return r.around(after, limit, true)
}

// News is History: in each home, model.News asks that home.
func (r *homesReader) News(a model.AgentID, after model.Position, limit int) []model.Entry {
	return r.History(a, after, limit)
}

// HistoryBefore is History in the other direction.
func (r *homesReader) HistoryBefore(a model.AgentID, before model.Position, limit int) []model.Entry {
	if a != "" {
		return homeOf(r, a).HistoryBefore(a, before, limit)
	}
	return r.around(before, limit, false)
}

// moment orders the events of all homes: by time, then by home.
type moment struct {
	at   time.Time
	home int
}

func (m moment) compare(other moment) int {
	return cmp.Or(m.at.Compare(other.at), cmp.Compare(m.home, other.home))
}

// home returns the number of the home that a position belongs to.
func (r *homesReader) home(p model.Position) int {
	for i, name := range r.names {
		if r.hosts[name].mark>>markShift == p.Revision>>markShift {
			return i + 1
		}
	}
	return 0
}

func (r *homesReader) moment(e model.Entry) moment { return moment{e.At, r.home(e.Position())} }

// around reads the events of all homes from a position on, in one direction. In the home of the position it is exact. In the other homes it
// takes the events on the far side of the position's time.
func (r *homesReader) around(from model.Position, limit int, newer bool) []model.Entry {
	homes, begins := r.all(), from == model.Position{}
	pivot := moment{home: r.home(from)}
	if !begins {
		behind := from
		behind.N++
		for _, e := range homes[pivot.home].HistoryBefore("", behind, 1) {
			pivot.at = e.At
		}
	}
	read := func(home model.Reader) []model.Entry {
		switch {
		case !begins && home != homes[pivot.home]:
			return r.beyond(home, pivot, limit, newer)
		case newer:
			return home.History("", from, limit)
		}
		return home.HistoryBefore("", from, limit)
	}
	return merged(homes, limit, read, func(a, b model.Entry) int {
		if newer {
			return r.moment(a).compare(r.moment(b))
		}
		return r.moment(b).compare(r.moment(a))
	})
}

// The bounds of how many events are read to find a time.
const (
	beyondPage  = 250
	beyondPages = 40
)

// beyond returns the events of a home that are newer, or older, than a moment, the nearest first.
func (r *homesReader) beyond(home model.Reader, from moment, limit int, newer bool) (out []model.Entry) {
	at := model.Position{}
	for range beyondPages {
		page := home.HistoryBefore("", at, beyondPage)
		passed := false
		for _, e := range page {
			at = e.Position()
			if is := r.moment(e).compare(from) > 0; is == newer {
				out = append(out, e)
			} else {
				passed = newer
			}
		}
		if passed || len(page) < beyondPage || !newer && len(out) >= limit {
			break
		}
	}
	if newer {
		slices.Reverse(out)
	}
	return out[:min(len(out), limit)]
}
