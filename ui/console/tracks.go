package console

import (
	"slices"
	"time"

	"vise/model"
)

// withFleet is t with the fleet as w asks for it, read by a function of the fleet that was read before.
func (t truth) withFleet(r model.Reader, w want, now time.Time,
	read func(r model.Reader, now time.Time, rows, entries int, named ...model.AgentID) model.Fleet) truth {
	t.fleet = read(r, now, w.body, max(inboxShown, w.entries), w.named...)
	t.inbox, t.want.named = t.fleet.Inbox, w.named
	t.tracks, t.more = readTracks(r, t.fleet, w, now, t.tracks)
	return t
}

// tracksAtOnce is the greatest number of events that one read takes for strips, about ten milliseconds. The
// next read continues.
const tracksAtOnce = 1500

// readTracks reads the data of the shown agents' strips, except the data that was read before.
func readTracks(r model.Reader, f model.Fleet, w want, now time.Time, before map[model.AgentID]model.Track,
) (out map[model.AgentID]model.Track, more bool) {
	out = map[model.AgentID]model.Track{}
	left := tracksAtOnce
	for i, m := range f.Agents {
		if i >= w.body && len(w.named) <= 1 || len(w.named) > 1 && !slices.Contains(w.named, m.Agent.ID) {
			continue
		}
		t, read, whole := model.ReadTrack(r, m, now.Add(-model.StripTime), before[m.Agent.ID], left)
		out[m.Agent.ID] = t
		left, more = left-read, more || !whole
	}
	return out, more
}
