package install

import (
	"fmt"
	"time"

	"vise/ui/hook"
)

// wakesFrom is the version of Claude Code whose asyncRewake was read and tried: older ones may lack
// it, and would wait for the hook or lose its words.
var wakesFrom = [3]int{2, 1, 197}

// wakes reports whether a program of the version wakes a session that rests, and whether
// that is known.
func wakes(version string) (yes, known bool) {
	var v [3]int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &v[0], &v[1], &v[2]); err != nil {
		return false, false
	}
	for i := range v {
		if v[i] != wakesFrom[i] {
			return v[i] > wakesFrom[i], true
		}
	}
	return true, true
}

// withRest adds to the hooks of Claude Code the one that waits beside a resting session.
// Where the version is not known, what is there stays.
func (o Options) withRest(t target) target {
	edit, undo := t.edit, t.undo
	rest := group{Hooks: []command{{Type: "command", Command: o.Vise, Args: o.hookArgs(hook.Rest),
		Timeout: int((hook.RestLimit + time.Minute).Seconds()), Async: true, AsyncRewake: true}}}
	yes, known := wakes(o.Version)
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
	return o.calls(g, " hook "+o.Program+" "+hook.Rest+" ")
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

// wakesTold says whether a session that rests is woken.
func (o Options) wakesTold() string {
	yes, known := wakes(o.Version)
	switch {
	case yes:
		return "one that rests at a terminal is woken, for " + fmt.Sprint(int(hook.RestLimit.Hours())) + " hours after its turn"
	case known:
		return fmt.Sprintf("one that rests is not woken: %s is older than %d.%d.%d", o.Version, wakesFrom[0], wakesFrom[1], wakesFrom[2])
	}
	return "whether one that rests is woken is not known, as claude --version gives none; if not, it hears at its next prompt"
}
