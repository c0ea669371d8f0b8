package recovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/journal"
	"vise/store/transfer"
)

// aim finds out which revision is wanted, and the directory for it.
func (r *restore) aim() (err error) {
	if !r.At.IsZero() {
		if r.To, err = r.revisionAt(r.At); err != nil {
			return err
		}
	}
	if !r.Copy {
		return nil
	}
	r.Recovery.Into = cmp.Or(r.RestoreOptions.Into, fmt.Sprintf("%s-at-%d", r.Home, r.To))
	entries, err := files.ReadDir(r.Recovery.Into)
	if files.IsGone(err) {
		return r.Machine.Mkdir(r.Recovery.Into)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), draftPrefix) {
			return model.Conflict("%s is not empty", r.Recovery.Into).
				WithHint("name a directory that is not there yet: --into")
		}
	}
	return err
}

// holds refuses a revision that the copy of the history does not have.
func (r *restore) holds(revision uint64) error {
	var spans []string
	for i := 0; i < len(r.copied); {
		first := i
		for i++; i < len(r.copied) && (r.copied[i] == r.copied[i-1]+1 || r.copied[i] <= r.home.Since); i++ {
		}
		spans = append(spans, journal.Span(r.copied[first], r.copied[i-1]))
	}
	if len(spans) == 0 {
		spans = []string{"nothing"}
	}
	return model.NotFound("the copy of the history does not lead to revision %d", revision).
		WithHint("it has %s%s", strings.Join(spans, ", "), r.archived())
}

// archived says what of the history is in an archive.
func (r *restore) archived() string {
	x, _ := transfer.ArchivedIn(r.home.Path(store.LedgerFile))
	said := x.Said()
	if said == "" {
		return ""
	}
	return "; " + said + "; a moment from before the oldest snapshot cannot be made again"
}

// revisionAt is the revision of the last change that was made at or before a time.
func (r *restore) revisionAt(at time.Time) (revision uint64, err error) {
	var first time.Time
	_, err = r.journal.Read(0, func(c journal.Change) error {
		var x store.Outline
		for _, v := range c.Values[:min(1, len(c.Values))] {
			var err error
			if x, err = store.ReadOutline(store.JournalKey(c.Revision, v.Part), v.Bytes); err != nil {
				return nil
			}
		}
		if first.IsZero() {
			first = x.At
		}
		if !x.At.After(at) {
			revision = c.Revision
		}
		return nil
	})
	if err == nil && revision == 0 {
		err = model.NotFound("the copy of the history has nothing from %s or before", at.Local().Format(time.DateTime)).
			WithHint("the first change that the copy of the history has is of %s%s", first.Local().Format(time.DateTime), r.archived())
	}
	return revision, err
}

// applyCopy makes the draft a new home. The new home has an id of its own, so that it and the
// old home are never mistaken for each other. Its items get their present plan files, with
// their saves. If applyCopy is interrupted, the new home does not exist yet.
func (r *Recovery) applyCopy(ctx context.Context, o RestoreOptions) error {
	h := store.NewHome(o.Machine, r.Into, store.NewID())
	d := &draft{dir: r.Dir}
	b := store.OpenIn(nil, d.dir, o.Command)
	err := store.WriteFacts(ctx, b, func(f *store.Facts) error {
		f.PutJSON(store.KeyHome, h.ID)
		return nil
	})
	if err = errors.Join(err, b.Close()); err != nil {
		return err
	}
	items, err := itemsOf(d.path())
	if err != nil {
		return err
	}
	if err := h.Make(); err != nil {
		return err
	}
	for _, p := range items {
		if o.Plans == nil || o.NewPlans == nil {
			break
		}
		names, unread := o.Plans.Beside(p.agent, p.item)
		for _, name := range append([]string{""}, names...) {
			raw, _, err := o.Plans.ReadFile(p.agent, p.item, name)
			unread = errors.Join(unread, err)
			if raw == nil {
				continue
			}
			if _, err := o.NewPlans.CreateFile(p.agent, p.item, name, raw); err != nil {
				return err
			}
			if name == "" {
				r.Copied++
			}
		}
		if unread != nil {
			if r.Plans == nil {
				r.Plans = &PlansBack{}
			}
			r.Plans.Lacking = append(r.Plans.Lacking, fmt.Sprintf("%s: %v", p.key(), unread))
		}
	}
	if err := h.Machine.Rename(d.path(), h.Path(store.LedgerFile)); err != nil {
		return err
	}
	if err := errors.Join(h.Machine.SyncDir(h.Dir), r.Discard()); err != nil {
		return err
	}
	return store.FillCopy(ctx, h.Dir, o.Command, o.Machine)
}
