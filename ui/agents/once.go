package agents

import (
	"os"
	"path/filepath"
	"time"
)

// onceAge is when it is forgotten that something was done.
const onceAge = 30 * 24 * time.Hour

func (c *call) oncePath(kind, name string) string {
	return filepath.Join(c.home.Dir(), "state", "hooks", c.program, kind, short(name))
}

// once reports that nobody has done a thing of a kind before, to one of those who ask.
func (c *call) once(kind, name string) bool {
	path := c.oncePath(kind, name)
	dir := filepath.Dir(path)
	if os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	f.Close()
	list, _ := os.ReadDir(dir)
	for _, x := range list {
		if info, err := x.Info(); err == nil && c.Now().Sub(info.ModTime()) > onceAge {
			_ = os.Remove(filepath.Join(dir, x.Name()))
		}
	}
	return true
}

// unmark has a thing count as not done.
func (c *call) unmark(kind, name string) { _ = os.Remove(c.oncePath(kind, name)) }
