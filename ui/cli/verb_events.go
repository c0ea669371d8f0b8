package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
)

type eventsOptions struct {
	follow      bool
	after, item string
	limit       int
}

// event is one line of events --json.
type event struct {
	// Cursor is the value for --after that goes on behind this event.
	Cursor string `json:"cursor"`
	model.Entry
}

const (
	defaultEvents = 50
	maxEvents     = 1000
)

func (a *app) eventsVerb() *cobra.Command {
	var o eventsOptions
	c := &cobra.Command{
		Use: "events", Short: "Show what happened, oldest first; follow what happens",
		Example: "vise events --item wi-7f3k --limit 5\nvise events --follow",
		Long: "events says what happened last, or with --after what came behind a cursor. With --json each event is an\n" +
			"envelope on a line of its own, with its kind and its cursor.",
	}
	f := c.Flags()
	f.BoolVar(&o.follow, "follow", false, "go on with each new event until interrupted")
	f.StringVar(&o.after, "after", "", "begin behind this cursor; 0 is the beginning")
	f.StringVar(&o.item, "item", "", "only events of this work item")
	f.IntVar(&o.limit, "limit", defaultEvents, fmt.Sprintf("how many at most, 1 to %d", maxEvents))
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) { return answer{}, a.events(ctx, o) })
}

func (a *app) events(ctx context.Context, o eventsOptions) error {
	if o.limit < 1 || o.limit > maxEvents {
		return misuse("limit", "--limit %d is not 1 to %d", o.limit, maxEvents).WithHint("--after goes on where the last one ended")
	}
	after, err := position(o.after)
	if err != nil {
		return err
	}
	s := &stream{app: a, after: after, limit: o.limit}
	if o.item != "" {
		if s.item, err = a.resolve(ctx, o.item); err != nil {
			return err
		}
	}
	if err := s.first(ctx, o.after != ""); err != nil {
		return err
	}
	if o.follow {
		defer a.wakeful(ctx, nil)()
	}
	for o.follow {
		if err := s.more(ctx); err != nil {
			if ctx.Err() != nil {
				return nil // interrupted, which is how following ends
			}
			return err
		}
	}
	return nil
}

// stream shows events in order and knows how far it is.
type stream struct {
	*app
	item     model.ItemID
	after    model.Position
	limit    int
	revision uint64
}

// first shows the newest events, or those behind the cursor.
func (s *stream) first(ctx context.Context, fromCursor bool) error {
	var list []model.Entry
	err := s.read(ctx, func(r model.Reader) error {
		s.revision = r.Revision()
		switch {
		case fromCursor:
			list = r.History(s.agent, s.after, s.limit)
			return nil
		case s.item != "":
			list = r.Entries(s.item, s.limit)
		default:
			list = r.HistoryBefore(s.agent, model.Position{}, s.limit)
		}
		slices.Reverse(list)
		return nil
	})
	if err != nil {
		return err
	}
	if !fromCursor {
		s.after = model.Position{Revision: s.revision, N: lastN}
	}
	if err := s.show(ctx, list); err != nil || !fromCursor || len(list) < s.limit {
		return err
	}
	s.revision = 0 // the page was full, so there may be more at once
	return nil
}

// lastN is behind every event of a revision.
const lastN = 1 << 30

// more waits for news and shows it.
func (s *stream) more(ctx context.Context) error {
	d, err := s.open()
	if err != nil {
		return err
	}
	if s.revision, err = d.Follow(ctx, s.revision); err != nil {
		return err
	}
	for {
		var list []model.Entry
		if err := s.read(ctx, func(r model.Reader) error {
			list = r.History(s.agent, s.after, s.limit)
			return nil
		}); err != nil {
			return err
		}
		if err := s.show(ctx, list); err != nil || len(list) < s.limit {
			return err
		}
	}
}

// show writes events as they are: each on its line, at once.
func (s *stream) show(ctx context.Context, list []model.Entry) error {
	titles, err := s.titles(ctx, list)
	if err != nil {
		return err
	}
	for _, e := range list {
		s.after = e.Position()
		if s.item != "" && e.WorkItemID != s.item {
			continue
		}
		if s.flags.json {
			line := envelope{schemaPrefix + "events", event{cursorOf(e), e}, append(s.withReadOnly([]model.Warning{}), s.home.Damage()...)}
			if err := writeJSON(s.out, line); err != nil {
				return err
			}
			continue
		}
		p := s.page()
		p.event(e, titles)
		if err := p.flush(s.out); err != nil {
			return err
		}
	}
	return nil
}

func cursorOf(e model.Entry) string { return fmt.Sprintf("%d.%d", e.Revision, e.N) }

// position reads a cursor: a revision, or a revision and a place in it.
func position(s string) (model.Position, error) {
	if s == "" {
		return model.Position{}, nil
	}
	rev, n, placed := strings.Cut(s, ".")
	revision, err := strconv.ParseUint(rev, 10, 64)
	at := model.Position{Revision: revision, N: lastN}
	if err == nil && placed {
		at.N, err = strconv.Atoi(n)
	}
	if err != nil {
		return at, misuse("after", "%q is no cursor", model.Text(s)).WithHint("events --json gives one with each event; 0 is the beginning")
	}
	return at, nil
}

// event says on a line when what happened, to whose work, and who did it where that was not the agent itself.
func (p *page) event(e model.Entry, titles map[model.ItemID]string) {
	said := e.Describe().String()
	if title := titles[e.WorkItemID]; title != "" {
		said = title + ": " + said
	}
	if e.Actor != model.AgentActor(e.AgentID) {
		said += "  " + p.muted("by "+model.Text(e.Actor).String())
	}
	p.line("%s  %s  %s", p.muted(when(e.At)), p.strong(model.Text(e.AgentID).String()), said)
}

// titles are what the work items of events are called.
func (s *stream) titles(ctx context.Context, list []model.Entry) (map[model.ItemID]string, error) {
	out := map[model.ItemID]string{}
	return out, s.read(ctx, func(r model.Reader) error {
		for _, e := range list {
			if w, ok := r.Item(e.WorkItemID); ok {
				out[w.ID] = fmt.Sprintf("%s (%s)", w.Objective.String(), w.Handle)
			}
		}
		return nil
	})
}
