package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vise/model"
	service "vise/store/home"
	"vise/store/storetest"
	"vise/ui/action"
)

// TestASearchGoesOnOverHosts: a finished search adds the new items of each home once, in the order of their times, also
// from a host that connects late.
func TestASearchGoesOnOverHosts(t *testing.T) {
	storetest.Slow(t)
	there, here := newHome(t, "ann"), newHome(t, "bob")
	there.must("new", "There before", "--agent", "ann")
	here.must("new", "Here before", "--agent", "bob")
	h, err := service.Open(here.dir, service.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	following, stop := context.WithTimeout(ctx, time.Minute)
	hosts := service.NewHosts(following, service.HostOptions{})
	defer hosts.Close()
	defer stop()
	w := service.WithHosts{Home: h, Hosts: hosts}
	events := action.NewEventSearch(action.ParseEventFilter("kind:item", time.Now()))
	items := action.NewSearch(action.ParseFilter("before", time.Now()), "")
	settle := func(ready func(model.Reader) bool) {
		t.Helper()
		for at, done := uint64(0), false; !done; {
			if err := w.View(following, func(r model.Reader) error {
				events.Step(r)
				items.Step(r)
				at = r.Revision()
				done = ready(r) && events.Done && events.Revision == at && items.Done && items.Revision == at
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if done {
				return
			}
			next, cancel := context.WithTimeout(following, 100*time.Millisecond)
			_, _ = w.Follow(next, at) // or the next step, at the same revision
			cancel()
		}
	}
	always := func(model.Reader) bool { return true }
	said := func(of action.EventSearch) (all []string) {
		for _, e := range of.Found {
			all = append(all, string(e.AgentID)+" "+e.At.String())
		}
		return all
	}
	settle(always)
	if len(events.Found) != 1 || len(items.Found) != 1 {
		t.Fatalf("before the host came: %v, %v", said(events), items.Found)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	vise := filepath.Join(t.TempDir(), "vise")
	if err := os.Symlink(self, vise); err != nil {
		t.Fatal(err)
	}
	hosts.Set([]service.Host{{Name: "build", Argv: []string{vise, "hosts", "serve", "--home", there.dir}}})
	settle(func(r model.Reader) bool { _, ok := r.Agent("ann@build"); return ok })
	for i := range 3 {
		there.must("new", fmt.Sprint("There before ", i), "--agent", "ann")
		settle(func(r model.Reader) bool { return r.Count("ann@build", model.TallyOpen) == i+2 })
		here.must("new", fmt.Sprint("Here before ", i), "--agent", "bob")
		h.Wake()
		settle(func(r model.Reader) bool { return r.Count("bob", model.TallyOpen) == i+2 })
	}
	newest := func(a, b model.Entry) int { return b.At.Compare(a.At) }
	if len(events.Found) != 8 || !slices.IsSortedFunc(events.Found, newest) {
		t.Errorf("found are the events %v", said(events))
	}
	if len(items.Found) != 8 {
		t.Errorf("found are %d items: %+v", len(items.Found), items.Found)
	}
}
