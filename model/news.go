package model

import (
	"iter"
	"math"
)

// News is how far somebody knows the history who asks again and again what is new. Each home has an order of its own, in
// which nothing comes late; among several homes it may: what a host tells when it is back is older than what others did since.
type News struct {
	agent AgentID
	read  map[string]Position // of each home, the one that is here under no name
}

// NewsFrom knows all that there is, of an agent or, when empty, of all.
func NewsFrom(r Reader, agent AgentID) News {
	n := News{agent, map[string]Position{}}
	for name, home := range homesOf(r) {
		n.read[name] = Position{Revision: home.Revision(), N: math.MaxInt32}
		if name == "" {
			continue
		}
		for _, e := range home.HistoryBefore("", Position{}, 1) { // a host's events have places of their own here
			n.read[name] = e.Position()
		}
	}
	return n
}

// NewsAfter knows what comes before a position in the home that is here, and that event.
func NewsAfter(at Position, agent AgentID) News { return News{agent, map[string]Position{"": at}} }

// Next are the first limit events that are new, oldest first within each home, and what is known with them. all is false
// where there may be more.
func (n News) Next(r Reader, limit int) (list []Entry, next News, all bool) {
	next = News{n.agent, map[string]Position{}}
	for name, home := range homesOf(r) {
		next.read[name] = n.read[name]
		for _, e := range home.History(n.agent, n.read[name], limit-len(list)) {
			list = append(list, e)
			next.read[name] = e.Position()
		}
	}
	return list, next, len(list) < limit
}

// homesOf are the homes that a reader is of, the one that is here first, without a name.
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

// changedMost bounds the events that are read to learn whom they are of.
const changedMost = 256

// Changed are the agents that something happened to since a revision; all is false where there may be others: then look at
// everything.
func Changed(r Reader, since uint64) (agents map[AgentID]bool, all bool) {
	agents = map[AgentID]bool{}
	if r.Revision() == since {
		return agents, true
	}
	list, _, all := NewsAfter(Position{Revision: since, N: math.MaxInt32}, "").Next(r, changedMost)
	for _, e := range list {
		agents[e.AgentID] = true
	}
	return agents, all
}
