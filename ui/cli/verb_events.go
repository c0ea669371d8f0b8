package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vise/model"
	"vise/store/transfer"
)

// event is one line of events --json.
type event struct {
	// Cursor is the value for --after that continues after this event.
	Cursor string `json:"cursor"`
	model.Entry
}

const (
	defaultEvents = 50
	maxEvents     = 1000
)

func eventsVerb() verb {
	s := &stream{limit: defaultEvents}
	var after, item string
	var follow bool
	return verb{
		use: "events", short: "Show what happened, oldest first; follow what happens",
		long: `events lists the newest events, or with --after those behind a cursor, one act a line. With --json each event
is on a line of its own, with its kind and its cursor.`,
		example: `vise events --item wi-7f3k --limit 5
vise events --follow`,
		flags: flags{
			{"follow", &follow, "print each new event until interrupted"},
			{"after", &after, "begin behind this cursor; 0 is the beginning"},
			{"item", &item, "only events of this work item"},
			{"limit", upTo{&s.limit, maxEvents}, "how many at most; --after goes on where the last one ended"},
		},
		run: func(e *Env) (_ answer, err error) {
			s.Env = e
			if item != "" {
				s.item, err = resolve(e, item)
			}
			if err == nil {
				err = s.begin(after)
			}
			if follow {
				defer beside(e, e.wakeLedger)()
			}
			for follow && err == nil {
				err = s.more()
			}
			if follow && e.Err() != nil {
				err = nil // interrupted: the normal end of following
			}
			return nil, err
		},
	}
}

// begin shows the newest events, or those behind a cursor.
func (s *stream) begin(after string) error {
	if after == "" {
		return s.newest()
	}
	at, err := position(after)
	if err == nil {
		err = s.noteArchived(s.agent, at.Revision)
	}
	if err != nil {
		return err
	}
	s.news = model.NewsAfter(at, s.agent)
	return s.next()
}

// stream shows events in order and remembers its position.
type stream struct {
	*Env
	item  model.ItemID
	limit int
	// news is what was shown, up to a revision. all means that there was no more at that time.
	news     model.News
	revision uint64
	all      bool
	// notes are warnings about all lines.
	notes []model.Warning
}

// newest shows the newest events.
func (s *stream) newest() error {
	var list []model.Entry
	agent := s.agent
	err := read(s.Env, func(r model.Reader) error {
		s.revision, s.news, s.all = r.Revision(), model.NewsFrom(r, s.agent), true
		if s.item != "" {
			list = r.Entries(s.item, s.limit)
			w, _ := r.Item(s.item)
			agent = w.AgentID
		} else {
			list = r.HistoryBefore(s.agent, model.Position{}, s.limit)
		}
		slices.Reverse(list)
		return knownIfNamed(s.Env, r)
	})
	if err == nil && len(list) < s.limit { // it is all that the journal has
		err = s.noteArchived(agent, 0)
	}
	if err != nil {
		return err
	}
	return s.show(list)
}

// noteArchived says which changes of an agent, or of all, after a revision are in the archive.
func (s *stream) noteArchived(agent model.AgentID, after uint64) (err error) {
	s.notes, err = archived(s.Env, agent, after)
	if !s.flags.json {
		warn(s.Env, s.notes...)
	}
	return err
}

// archived is a warning if changes of an agent, or of all, after a revision are in the archive.
func archived(e *Env, agent model.AgentID, after uint64) ([]model.Warning, error) {
	h, err := open(e)
	if err != nil {
		return nil, err
	}
	x, err := transfer.Archived(e, h.Ledger)
	if said := x.Of(agent).After(after).Said(); err == nil && said != "" {
		return []model.Warning{{Kind: model.WarnArchived, Message: said}}, nil
	}
	return nil, err
}

// next shows a page of new events.
func (s *stream) next() error {
	var list []model.Entry
	err := read(s.Env, func(r model.Reader) error {
		s.revision = r.Revision()
		list, s.news, s.all = s.news.Next(r, s.limit)
		return knownIfNamed(s.Env, r)
	})
	if err != nil {
		return err
	}
	return s.show(list)
}

// more shows a page of new events. It waits until there is one.
func (s *stream) more() error {
	if s.all {
		d, err := open(s.Env)
		if err != nil {
			return err
		}
		if _, err := d.Follow(s, s.revision); err != nil {
			return err
		}
	}
	return s.next()
}

// show writes each act on a line of its own, at once; with --json each event.
func (s *stream) show(list []model.Entry) error {
	titles, err := s.titles(list)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(slices.Clone(list), func(e model.Entry) bool { return s.item != "" && e.WorkItemID != s.item })
	if !s.flags.json {
		p := newPage(s.Env)
		for _, a := range model.Acts(list) {
			p.event(a, titles)
		}
		return p.flush(s.out)
	}
	for _, e := range list {
		line := envelope{schemaPrefix + "events", event{fmt.Sprintf("%d.%d.%s", e.Revision, e.N, e.AgentID), e},
			append(withReadOnly(s.Env, append([]model.Warning{}, s.notes...)),
				s.home.Damage()...)}
		if err := writeJSON(s.out, line); err != nil {
			return err
		}
	}
	return nil
}

// position reads a cursor: a revision, or a revision and a position in it.
func position(s string) (model.Position, error) {
	rev, place, placed := strings.Cut(s, ".")
	revision, err := strconv.ParseUint(rev, 10, 63)
	at := model.AfterRevision(revision)
	if err == nil && placed {
		n, agent, _ := strings.Cut(place, ".")
		at = model.Position{Revision: revision, Agent: model.AgentID(agent)}
		at.N, err = strconv.Atoi(n)
	}
	if err != nil {
		return at, misuse("after", "%q is not a cursor", s).
			WithHint("events --json gives one with each event; 0 is the beginning")
	}
	return at, nil
}

// event writes on one line when something happened, what followed from it, on whose work, and who did it if that was not the agent itself.
func (p *page) event(e model.Act, titles map[model.ItemID]string) {
	said := e.Describe().String()
	if title := titles[e.WorkItemID]; title != "" {
		said = title + ": " + said
	}
	if e.Actor != model.AgentActor(e.AgentID) {
		said += "  " + p.muted("by "+safe(model.By(e.Actor, e.Person)))
	}
	p.line("%s  %s  %s", p.muted(when(e.At)), p.strong(safe(e.AgentID)), said)
}

// titles returns the titles of the events' work items.
func (s *stream) titles(list []model.Entry) (map[model.ItemID]string, error) {
	out := map[model.ItemID]string{}
	return out, read(s.Env, func(r model.Reader) error {
		for _, e := range list {
			if w, ok := r.Item(e.WorkItemID); ok {
				out[w.ID] = fmt.Sprintf("%s (%s)", w.Objective.String(), w.Handle)
			}
		}
		return nil
	})
}
