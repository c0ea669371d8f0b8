package agents

import (
	"fmt"
	"slices"
	"time"
)

// wakesFrom are the versions that were read and tried: of Claude Code the one whose asyncRewake
// was, of Codex the one whose `codex queue` was. Older ones may lack it.
var wakesFrom = map[string][3]int{"claude": {2, 1, 197}, "codex": {0, 169, 0}}

// wakes reports whether a program of the version wakes a session that rests, and whether
// that is known.
func wakes(program, version string) (yes, known bool) {
	var v [3]int
	from, ok := wakesFrom[program]
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &v[0], &v[1], &v[2]); err != nil || !ok {
		return false, false
	}
	return slices.Compare(v[:], from[:]) >= 0, true
}

// withRest adds to the hooks of Claude Code the one that waits beside a resting session.
// Where the version is not known, what is there stays.
func (o Options) withRest(t target) target {
	edit, undo := t.edit, t.undo
	rest := group{Hooks: []command{{Type: "command", Command: o.Vise, Args: o.hookArgs(Rest),
		Timeout: int((RestLimit + time.Minute).Seconds()), Async: true, AsyncRewake: true}}}
	yes, known := wakes(o.Program, o.Version)
	set := edited(func(d *document) error {
		if !known && !d.hasGroup("Stop", o.rests) {
			return nil
		}
		if known && !yes {
			d.removeGroups("Stop", o.rests)
			return nil
		}
		return d.setGroup("Stop", rest, o.rests)
	})
	t.edit = func(before []byte) ([]byte, string, error) { return both(before, edit, set) }
	t.undo = func(before []byte) ([]byte, string, error) {
		return both(before, edited(func(d *document) error {
			d.removeGroups("Stop", o.rests)
			return nil
		}), undo)
	}
	return t
}

// both carries out one edit after the other.
func both(before []byte, first, second func([]byte) ([]byte, string, error)) ([]byte, string, error) {
	between, _, err := first(before)
	if err != nil {
		return nil, "", err
	}
	return second(between)
}

// rests recognises the group that waits beside a resting session.
func (o Options) rests(g group) bool {
	return o.calls(g, " hook "+o.Program+" "+Rest+" ")
}

// hasGroup reports whether one of an event's groups is ours.
func (d *document) hasGroup(event string, ours func(group) bool) bool {
	had := false
	d.removeGroups(event, func(g group) bool {
		had = had || ours(g)
		return false
	})
	return had
}

// woken says how a session that rests is woken.
var woken = map[string]string{
	"claude": "one that rests at a terminal is woken",
	"codex":  "one that rests in Codex's server, as those of a terminal do, is prompted while the server keeps it",
}

// wakesTold says whether a session that rests is woken.
func (o Options) wakesTold() string {
	yes, known := wakes(o.Program, o.Version)
	switch {
	case yes:
		return woken[o.Program] + ", for " + restHours + " hours after its turn"
	case known:
		from := wakesFrom[o.Program]
		return fmt.Sprintf("one that rests is not woken: %s is older than %d.%d.%d", o.Version, from[0], from[1], from[2])
	}
	return fmt.Sprintf("whether one that rests is woken is not known, as %s --version gives none; if not, it hears at its next prompt", o.Program)
}
