package agents

import (
	"os"
	"path/filepath"
	"time"
)

// Sighting is when an event of a program was last seen, and how often.
type Sighting struct {
	Event string    `json:"event"`
	Last  time.Time `json:"last"`
	Count int64     `json:"count"`
}

// maxSightings bounds the file that counts them, a byte each.
const maxSightings = 1 << 20

func seenDir(home, program string) string {
	return filepath.Join(home, "state", "hooks", program, "seen")
}

// sawEvent counts an event: one byte more in its file, whose time is the last sighting.
// Hooks that run at once need no lock for it. A count that cannot be kept is no reason to
// fail.
func (c *call) sawEvent() {
	dir := seenDir(c.home.Dir(), c.program)
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	f, err := os.OpenFile(filepath.Join(dir, c.event), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() < maxSightings {
		_, _ = f.WriteString(".")
	}
	_ = os.Chtimes(f.Name(), time.Time{}, c.Now())
}

// Seen are the events of a program that this home has seen, by name.
func Seen(home, program string) []Sighting {
	list, _ := os.ReadDir(seenDir(home, program))
	var out []Sighting
	for _, x := range list {
		if info, err := x.Info(); err == nil && info.Mode().IsRegular() {
			out = append(out, Sighting{Event: x.Name(), Last: info.ModTime(), Count: info.Size()})
		}
	}
	return out
}
