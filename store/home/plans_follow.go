package home

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/watcher"
)

const (
	// markFollows is the mark of the process that follows plans. Its file has the process's number and, after a space, what it does not
	// follow at once.
	markFollows = "plans-followed"
	// mostFollowed bounds the plans that are followed, because each takes memory.
	mostFollowed = 5_000
	// Of a ledger that changes all the time a follower reads for a part of the time, and again after followPause at the latest.
	followPart, followPause = 20, time.Second
)

func followedBy(dir string) (pid int, said string) {
	raw, err := files.ReadSmall(filepath.Join(dir, "state", markFollows+".lock"), 1<<10)
	if err == nil {
		_, _ = fmt.Sscan(string(raw), &pid) // it can just be written
		_, said, _ = strings.Cut(string(raw), " ")
	}
	return pid, said
}

// Conditions are those of the ledger, and that the plans of this machine are not all followed at once.
func (h *Home) Conditions(ctx context.Context) []model.Condition {
	found := h.Ledger.Conditions(ctx)
	if _, said := followedBy(h.Dir()); said != "" && Marked(h.Dir(), markFollows) {
		found = append(found, model.Condition{Code: model.CodeUnwatched, Message: said,
			Hint: "complete work items, or raise fs.inotify.max_user_watches and max_user_instances"})
	}
	return found
}

// KeepPlans keeps the plan files of all open items and the ledger alike until ctx ends: what is saved in a file goes to the ledger, and an
// edit of another machine into its file. Of the processes that call it in a home one works. Another one goes on if that one ends, or is
// stopped.
func (h *Home) KeepPlans(ctx context.Context) {
	for ; h.Dir() != "" && ctx.Err() == nil; _ = Pause(ctx, sweepEvery) {
		lock, err := files.LockAtOnce(h.Dir(), markFollows+".lock")
		f := &planFollower{Home: h, most: mostFollowed, open: map[watcher.Item]model.PlanArtifact{}, lock: lock}
		pid, _ := followedBy(h.Dir())
		switch {
		case err == nil:
			f.run(ctx)
			lock.Close()
		case err != files.ErrLocked || h.Ledger.Home().Machine.ProcessOf(pid).Stopped:
			limit, stop := context.WithTimeout(ctx, longest)
			f.run(limit)
			stop()
		}
	}
}

// planFollower is one run of the process that follows plans.
type planFollower struct {
	*Home
	watch *watcher.Watcher
	most  int
	// open are the plans to follow, as they were first read in the ledger.
	open map[watcher.Item]model.PlanArtifact

	mu   sync.Mutex // protects the fields below
	lock *os.File   // nil, which cannot be written, if another process, which does nothing, has it
	full bool
}

func (f *planFollower) run(ctx context.Context) {
	var err error
	if f.watch, err = watcher.Start(ctx, watcher.Config{Home: f.files}); err != nil {
		return
	}
	defer f.watch.Close()
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { f.findOpen(ctx) })
	for {
		event, err := f.watch.Next(ctx)
		if err != nil {
			return
		}
		f.tell()
		var failed []watcher.Item
		for _, p := range event.Plans {
			if f.RefreshPlan(ctx, model.Envelope{Actor: model.Watcher}, p.Item.ID) != nil {
				failed = append(failed, p.Item)
			}
		}
		running.Go(func() {
			if len(failed) > 0 && Pause(ctx, sweepEvery) == nil {
				for _, item := range failed {
					f.watch.Known(item, model.PlanArtifact{})
				}
			}
		})
	}
}

// tell writes what is not followed at once.
func (f *planFollower) tell() {
	f.mu.Lock()
	defer f.mu.Unlock()
	said := fmt.Sprint(os.Getpid())
	if mode := f.watch.Mode(); mode.Polling() {
		said += " plan files: " + mode.String()
	} else if f.full {
		said += fmt.Sprintf(" of the plans on this machine at most %d are followed", f.most)
	}
	if f.lock.Truncate(0) == nil {
		_, _ = f.lock.WriteAt([]byte(said), 0) // otherwise it is not told
	}
}

// findOpen sets which plans are watched, and takes in the edits of other machines, whenever the ledger changes.
func (f *planFollower) findOpen(ctx context.Context) {
	for after := uint64(0); ctx.Err() == nil; {
		revision, err := f.Follow(ctx, after)
		pause := retryAfter // the ledger is busy, or no member answers
		if err == nil {
			f.plans.takeEdits(ctx)
			began := time.Now()
			err = f.readOpen(ctx, after)
			pause = min(followPart*time.Since(began), followPause)
		}
		if err == nil {
			after = revision
		}
		_ = Pause(ctx, pause)
	}
}

// readOpen reads which items are open of the agents that have changed after a revision.
func (f *planFollower) readOpen(ctx context.Context, after uint64) error {
	var agents []model.AgentID
	err := f.Ledger.View(ctx, func(r model.Reader) error {
		changed, all := r.Changed(after)
		agents = slices.Collect(maps.Keys(changed))
		if !all {
			agents = nil
			for _, a := range r.Agents("", math.MaxInt) {
				agents = append(agents, a.ID)
			}
		}
		return nil
	})
	for i := 0; i < len(agents) && err == nil; i++ {
		err = f.readAgent(ctx, agents[i])
	}
	f.watch.Set(f.open)
	f.mu.Lock()
	f.full = len(f.open) >= f.most
	f.mu.Unlock()
	f.tell()
	return err
}

// readAgent reads which items of an agent are open and have their files here, one page at a time.
func (f *planFollower) readAgent(ctx context.Context, agent model.AgentID) error {
	isOpen := map[watcher.Item]bool{}
	_, shared := f.Cluster()
	var next *model.Row
	for after, more := (*model.Row)(nil), true; more; after, more = next, next != nil {
		err := f.Ledger.View(ctx, func(r model.Reader) error {
			l, err := model.ListItems(r, agent, model.FilterOpen, after, model.MaxLimit)
			for _, row := range l.Rows {
				item := watcher.Item{Agent: agent, ID: row.ID}
				_, known := f.open[item]
				if !known && f.PlanElsewhere(agent, row.ID) {
					continue
				}
				if !known && len(f.open) >= f.most {
					l.Next = nil
					break
				}
				if isOpen[item] = true; !known {
					w, _ := r.Item(row.ID)
					if shared && model.KeepsBody(w.PlanArtifact) { // the ledger can lack its whole text
						w.PlanArtifact = model.PlanArtifact{}
					}
					w.PlanArtifact.Preview = ""
					f.open[item] = w.PlanArtifact
				}
			}
			next = l.Next
			return err
		})
		if err != nil {
			return err
		}
	}
	maps.DeleteFunc(f.open, func(item watcher.Item, _ model.PlanArtifact) bool { return item.Agent == agent && !isOpen[item] })
	return nil
}
