package model

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// Homes is a Reader of several homes: this machine's, and hosts, which are homes of other machines. Each home is its own truth.
// The ids of a host's records end with @ and its name.
type Homes interface {
	Reader
	Here() Reader
	// Hosts are the hosts by name.
	Hosts() iter.Seq2[string, Reader]
}

// HostState is the state of the connection to a host.
type HostState struct {
	Name string
	// AsOf is the time of the last contact; zero: never. Away: the host is not connected now, with the time since when and the
	// reason; its Trouble is nil during the first try.
	AsOf    time.Time
	Away    bool
	Since   time.Time
	Trouble *Error
	// Agents is how many agents it has, NeedYou how many questions nobody acknowledged.
	Agents, NeedYou int
	// Open is how many open items it has, and KnownOpen how many of them are known here.
	Open, KnownOpen int
}

// Limit says which part of a host's open items is known here; empty if all are.
func (h HostState) Limit() string {
	if h.KnownOpen >= h.Open {
		return ""
	}
	return fmt.Sprintf("the first %d of %d open items of %s", h.KnownOpen, h.Open, h.Name)
}

// AsOfWords say how old the data of a host is.
func (h HostState) AsOfWords(now time.Time) string {
	switch {
	case h.AsOf.IsZero():
		return "never seen"
	case now.Sub(h.AsOf) > 24*time.Hour:
		return "as of " + h.AsOf.Local().Format("Jan 2")
	}
	return "as of " + h.AsOf.Local().Format("15:04")
}

// HostOf is the host's name at the end of an id; empty for this machine's records. (An id that begins with @ is that of an
// agent's own trace.)
func HostOf[ID ~string](id ID) string {
	if i := strings.LastIndexByte(string(id), '@'); i > 0 {
		return string(id[i+1:])
	}
	return ""
}

// ofHomes is the fleet of several homes. It reads this machine's home again as far as it changed, and takes the known data of
// hosts.
func (f Fleet) ofHomes(r Homes, now time.Time, rows, entries int, named []AgentID) Fleet {
	own := f
	own.Revision = f.here
	own.Agents = slices.DeleteFunc(slices.Clone(f.Agents), func(m FleetMember) bool { return HostOf(m.Agent.ID) != "" })
	own = own.Again(r.Here(), now, rows, 0, named...)
	out := own
	out.Revision, out.here = r.Revision(), own.Revision
	for _, host := range r.Hosts() {
		x := FleetOf(host, now, rows, 0, named...)
		out.Agents, out.More = append(out.Agents, x.Agents...), out.More || x.More
	}
	slices.SortFunc(out.Agents, byAttention)
	back, later, hidden := SnoozedEntries(r, now, entries)
	out.Inbox, out.Snoozed, out.Hidden = inboxWith(r, now, entries, back), later, hidden
	return out
}
