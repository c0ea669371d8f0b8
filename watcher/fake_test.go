package watcher

import (
	"errors"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"vise/model"
	"vise/store/files"
)

// fakeDisk holds plans in memory.
type fakeDisk struct {
	files.Home
	mu    sync.Mutex // protects the fields below
	plans map[Item]fakePlan
	reads int
}

func (d *fakeDisk) at(it Item) (fakePlan, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.plans[it]
	return p, ok
}

func (d *fakeDisk) put(it Item, p fakePlan, exists bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.plans[it] = p
	if !exists {
		delete(d.plans, it)
	}
}

func (d *fakeDisk) count(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads += n
	return d.reads
}

type fakePlan struct {
	text      string
	changed   int64
	condition model.PlanCondition // empty: the hash of the text
	unsettled bool
}

func (d *fakeDisk) IsDir(string) bool { return true }

func (d *fakeDisk) MakeFile(string, string) (string, error) { return "", errors.ErrUnsupported }

func (d *fakeDisk) Plan(agent model.AgentID, id model.ItemID) files.Plan {
	d.count(1)
	p, ok := d.at(Item{agent, id})
	switch {
	case !ok:
		return files.Plan{PlanArtifact: model.BadPlanArtifact(agent, id, model.PlanMissing)}
	case p.unsettled:
		bad := model.BadPlanArtifact(agent, id, model.PlanUnreadable)
		return files.Plan{PlanArtifact: bad, Unsettled: true}
	case p.condition != "":
		return files.Plan{PlanArtifact: model.BadPlanArtifact(agent, id, p.condition)}
	}
	at := time.Unix(0, p.changed)
	return files.Plan{PlanArtifact: model.NewPlanArtifact(agent, id, []byte(p.text), at), Raw: []byte(p.text)}
}

func (d *fakeDisk) Stat(agent model.AgentID, id model.ItemID) files.Stat {
	p, ok := d.at(Item{agent, id})
	if !ok {
		return files.Stat{Condition: model.PlanMissing}
	}
	return files.Stat{Size: int64(len(p.text)), Changed: p.changed}
}

// fakeSystem gives the test's events to every source that is open.
type fakeSystem struct {
	trouble chan error

	mu      sync.Mutex // protects the fields below
	events  chan fsnotify.Event
	openErr error
	added   map[string]bool
	limit   int // the number of watches
}

func newFakeSystem() *fakeSystem {
	return &fakeSystem{trouble: make(chan error), added: map[string]bool{}, limit: math.MaxInt}
}

func (s *fakeSystem) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func (s *fakeSystem) open() (src source, err error) {
	s.locked(func() { s.events, src, err = make(chan fsnotify.Event), s, s.openErr })
	return src, err
}

func (s *fakeSystem) Events() (c <-chan fsnotify.Event) {
	s.locked(func() { c = s.events })
	return c
}

func (s *fakeSystem) Trouble() <-chan error { return s.trouble }
func (s *fakeSystem) Remove(dir string)     { s.locked(func() { delete(s.added, dir) }) }
func (s *fakeSystem) Close()                { s.locked(func() { clear(s.added) }) }

func (s *fakeSystem) Whole() <-chan string { return nil }

func (s *fakeSystem) Add(dir string, _ bool) (err error) {
	s.locked(func() {
		if len(s.added) >= s.limit {
			err = syscall.ENOSPC
			return
		}
		s.added[dir] = true
	})
	return err
}

// happen sends an event if the directory is watched.
func (s *fakeSystem) happen(name string, op fsnotify.Op) {
	var c chan fsnotify.Event
	s.locked(func() {
		if s.added[filepath.Dir(name)] {
			c = s.events
		}
	})
	if c != nil {
		c <- fsnotify.Event{Name: name, Op: op}
	}
}

// list returns the watched directories in order.
func (s *fakeSystem) list() (dirs string) {
	s.locked(func() { dirs = strings.Join(slices.Sorted(maps.Keys(s.added)), "\n") })
	return dirs
}

var errOverflow = errors.New("overflow")
