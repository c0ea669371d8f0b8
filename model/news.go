package model

import "iter"

// News is how far a caller that polls for news knows the history. In each home the order is fixed and nothing comes late. Among
// several homes events can come late: those of a host that is back can be older than known events of others.
type News struct {
	agent AgentID
	read  map[string]Position // of each home; this machine's has the empty name
}

// NewsFrom knows everything so far, of an agent or, if agent is empty, of all.
func NewsFrom(r Reader, agent AgentID) News {
	n := News{agent, map[string]Position{}}
	for name, home := range homesOf(r) {
		n.read[name] = AfterRevision(home.Revision())
		if name == "" {
			continue
		}
		for _, e := range home.HistoryBefore("", Position{}, 1) { // a host's events have other positions here
			n.read[name] = e.Position()
		}
	}
	return n
}

// NewsAfter knows everything in this machine's home up to a position, including that event.
func NewsAfter(at Position, agent AgentID) News { return News{agent, map[string]Position{"": at}} }

// Next are the first limit new events, oldest first within each home, and the News that knows them too. all is false if there
// can be more.
func (n News) Next(r Reader, limit int) (list []Entry, next News, all bool) {
	next = News{n.agent, map[string]Position{}}
	for name, home := range homesOf(r) {
		next.read[name] = n.read[name]
		for _, e := range home.News(n.agent, n.read[name], limit-len(list)) {
			list = append(list, e)
			next.read[name] = e.Position()
		}
	}
	return list, next, len(list) < limit
}

// homesOf are the homes of a reader: first this machine's, without a name.
func homesOf(r Reader) iter.Seq2[string, Reader] {
	return func(yield func(string, Reader) bool) {
		h, several := r.(Homes)
		if !several {
			yield("", r)
		} else if yield("", h.Here()) {
			h.Hosts()(yield)
		}
	}
}
