package recovery

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/journal"
)

// Loss is what a restore cannot recover, as far as the home has traces of it.
type Loss struct {
	// AtLeast is the least number of changes that were made after the restored revision, AtMost
	// the greatest. A nil AtMost means that nothing limits the number.
	AtLeast uint64  `json:"at_least"`
	AtMost  *uint64 `json:"at_most,omitempty"`
	// From is the first of their revisions.
	From uint64 `json:"from_revision"`
	// Evidence lists the traces of changes after the restored revision, and what limits their
	// number.
	Evidence []string `json:"evidence,omitempty"`
	// Missing names changes and files that may be lost.
	Missing []string `json:"may_be_missing,omitempty"`
}

// None reports that certainly nothing is lost.
func (l Loss) None() bool { return l.AtMost != nil && *l.AtMost == 0 }

// trace is a trace of a revision in the home.
type trace struct {
	revision uint64
	what     string
}

// known notes a trace of a revision.
func (r *restore) known(revision uint64, format string, args ...any) {
	r.Known = max(r.Known, revision)
	r.traces = append(r.traces, trace{revision, fmt.Sprintf(format, args...)})
}

// searchTraces finds out, from everything except the ledger itself, which revision the home had
// reached.
func (r *restore) searchTraces() {
	if r.home.Revision > 0 {
		r.known(r.home.Revision, "%s: revision %d was reached", store.HomeFile, r.home.Revision)
	}
	if all, err := Snapshots(r.home); err == nil {
		for _, s := range all {
			r.known(s.Revision, "%s: a snapshot of revision %d", relative(r.Home, s.Path), s.Revision)
		}
	}
	all, err := r.journal.Files()
	if err != nil {
		r.known(0, "%s: %v", store.JournalDir, err)
	}
	for _, f := range all {
		r.searchFile(f)
	}
	r.copied = slices.Compact(slices.Sorted(slices.Values(r.copied)))
}

// searchFile finds the changes in a file of the journal's copy. It also finds changes behind
// damage, and incomplete changes by their remaining beginnings.
func (r *restore) searchFile(f journal.File) {
	name := relative(r.Home, f.Path)
	if f.Last > 0 {
		r.known(f.Last, "%s: it had revision %d", name, f.Last)
	}
	last, raw, _, err := r.journal.ReadFile(f)
	if err != nil {
		r.known(0, "%s: %v", name, err)
		return
	}
	newest := uint64(0)
	if last > 0 && f.Live {
		r.known(last, "%s: it was begun after revision %d", name, last)
	}
	whole, _ := journal.WalkChanges(raw, func(c journal.Change) error {
		last, newest = max(last, c.Revision), max(newest, c.Revision)
		r.copied = append(r.copied, c.Revision)
		return nil
	}, func(rest []byte) {
		if c, ok := journal.TornChange(rest); ok && c.Revision == last+1 { // a damaged number can be anything
			last = c.Revision
			r.torn = append(r.torn, c)
			r.known(last, "%s: revision %d is incomplete", name, last)
		}
	})
	if newest > 0 {
		r.known(newest, "%s: it goes to revision %d", name, newest)
	}
	if !whole {
		r.known(0, "%s: a part of it cannot be read", name)
	}
}

// countLoss counts the changes between the restored revision and the newest known one.
func (r *restore) countLoss() {
	from, top, loss := r.best.to, max(r.Known, r.best.to), &r.Lost
	switch r.Keeps { // the other history is lost from the revision where it diverges
	case keepsJournal:
		from, top = r.Diverged-1, r.present
	case keepsFile:
		from, top = r.Diverged-1, r.copied[len(r.copied)-1]
	}
	loss.AtLeast, loss.From = max(top, from)-from, from+1
	most := loss.AtLeast
	switch {
	case r.present >= r.Known && r.Keeps == "" && !r.Fresh || r.Keeps == keepsJournal:
		if r.alone {
			most++
			loss.tells("%s: one of its two meta pages cannot be read; it may have had one more change", store.LedgerFile)
		}
		loss.AtMost = &most
	case r.home.Bound > 0:
		most = max(top, r.home.Bound) - from
		loss.tells("%s: no revision after %d was made", store.HomeFile, max(top, r.home.Bound))
		loss.AtMost = &most
	default:
		loss.tells("the ledger's newest revision is not known")
	}
	if loss.None() || r.To > 0 && r.best.to == r.To {
		return // changes left out on purpose need no evidence
	}
	for _, t := range r.traces {
		if t.revision > from || t.revision == 0 {
			loss.tells("%s", t.what)
		}
	}
	r.nameMissing(from)
}

func (l *Loss) tells(format string, args ...any) {
	l.Evidence = append(l.Evidence, fmt.Sprintf(format, args...))
}

// namedMissing is how many missing things are named.
const namedMissing = 20

// nameMissing names the changes in the copy that could not be made again, and the files in the
// home of work items that the restored ledger does not have.
func (r *restore) nameMissing(from uint64) {
	var all []string
	if !r.keepsCopy {
		_, _ = r.journal.Read(from, func(c journal.Change) error {
			all = append(all, describeChange(c))
			return nil
		})
		for _, c := range r.torn {
			if c.Revision > from {
				all = append(all, describeChange(c))
			}
		}
	}
	_ = store.ViewFile(r.best.path(), func(f *store.Facts) error {
		all = append(all, r.strayPlans(f)...)
		all = append(all, r.strayReports(f)...)
		return nil
	})
	if more := len(all) - namedMissing; more > 0 {
		all = append(all[:namedMissing], fmt.Sprintf("and %d more", more))
	}
	r.Lost.Missing = all
}

// describeChange says what a change did, as far as its values are readable.
func describeChange(c journal.Change) string {
	said, did := "", []string{}
	for _, v := range c.Values {
		p, err := store.ReadOutline(store.JournalKey(c.Revision, v.Part), v.Bytes)
		if err != nil {
			continue
		}
		said = fmt.Sprintf(", %s, by %s", p.At.UTC().Format(time.RFC3339), cmp.Or(p.Person, model.Text(p.Actor)))
		for _, e := range p.Events {
			did = append(did, strings.TrimSpace(fmt.Sprintf("%s %s", e.Kind, e.WorkItemID)))
		}
	}
	said = fmt.Sprintf("revision %d%s", c.Revision, said)
	if len(did) > 0 {
		said += ": " + strings.Join(did, ", ")
	}
	return said
}

// strayPlans lists the plan directories of items that a ledger does not have.
func (r *restore) strayPlans(f *store.Facts) (out []string) {
	found, _ := filepath.Glob(filepath.Join(r.Home, store.AgentsDir, "*", "work-items", "*"))
	for _, path := range found {
		if _, ok := f.Item(model.ItemID(filepath.Base(path))); !ok {
			out = append(out, fmt.Sprintf("a work item: %s belongs to no restored item", relative(r.Home, path)))
		}
	}
	return out
}

// maxReport is the limit of a file in the hook queue, in bytes.
const maxReport = 1 << 20

// strayReports lists the reports in the hook queue about items that a ledger does not have.
func (r *restore) strayReports(f *store.Facts) (out []string) {
	found, _ := filepath.Glob(filepath.Join(r.Home, store.SpoolDir, "*.json"))
	for _, path := range found {
		var report struct {
			Items []string `json:"work_items"`
		}
		raw, err := files.ReadSmall(path, maxReport)
		if err != nil || json.Unmarshal(raw, &report) != nil {
			continue
		}
		for _, ref := range report.Items {
			_, byID := f.Item(model.ItemID(ref))
			if !byID && f.ItemOf(model.Handle(ref)) == "" {
				out = append(out, fmt.Sprintf("work item %s: %s waits to report on it", model.Text(ref), relative(r.Home, path)))
			}
		}
	}
	return out
}

func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return rel
	}
	return path
}
