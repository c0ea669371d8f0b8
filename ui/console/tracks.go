package console

import (
	"slices"
	"time"

	"vise/model"
)

// tracksAtOnce bounds the events that one reading takes for strips: some ten milliseconds. The next one goes on.
const tracksAtOnce = 1500

// readTracks reads what the strips of the agents that are shown are drawn from, as far as that was not read before.
func readTracks(r model.Reader, f model.Fleet, w want, now time.Time, before map[model.AgentID]model.Track,
) (out map[model.AgentID]model.Track, more bool) {
	out = map[model.AgentID]model.Track{}
	left := tracksAtOnce
	for i, m := range f.Agents {
		if i >= w.body && len(w.named) <= 1 || len(w.named) > 1 && !slices.Contains(w.named, m.Agent.ID) {
			continue
		}
		t, read, whole := model.ReadTrack(r, m, now.Add(-w.span), before[m.Agent.ID], left)
		out[m.Agent.ID] = t
		left, more = left-read, more || !whole
	}
	return out, more
}
