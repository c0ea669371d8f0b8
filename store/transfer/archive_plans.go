package transfer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store"
)

// The whole texts of a completed item's plans stay on the cluster until the item did not change for a week. Then a server moves them to its
// archive: to the directory of the agent, a file for each text, under its hash. A text is first written and synced, and only then deleted
// from the cluster. A completed item is never opened again.

const (
	// textsEvery is how often an archiver looks for such items. It asks for those of each agent.
	textsEvery = time.Hour
)

// keyTexts has the row of the newest completed item that was looked at. An item that is completed later has a newer row.
var keyTexts = []byte("about/texts")

// ArchiveTexts moves the texts of the items that are old now.
func ArchiveTexts(ctx context.Context, l *store.Ledger) error {
	var old [][]byte          // rows, newest first
	var have []model.WorkItem // those that have texts, oldest first
	err := l.ViewFacts(ctx, func(f *store.Facts) error {
		old, have = nil, nil
		done := store.Prefix([]byte(store.TableDone))
		done.From = []byte(store.TableDone + store.NewestFirst(l.Now().Add(-store.TextsKept)))
		if last := archivedTexts(f); last != nil {
			done.To = last
		}
		f.Scan(done, func(key, _ []byte) bool {
			old = append(old, bytes.Clone(key))
			return true
		})
		for _, row := range slices.Backward(old) {
			id, _, _ := strings.Cut(string(row[len(store.TableDone)+store.AgeSize:]), "/")
			w := model.WorkItem{ID: model.ItemID(id), AgentID: store.PartOf(row)}
			if len(f.Texts(w)) > 0 {
				have = append(have, w)
			}
		}
		return nil
	})
	if err != nil || len(old) == 0 {
		return err
	}
	note := func() error {
		return l.Update(ctx, func(f *store.Facts) error {
			f.PutJSON(keyTexts, old[0])
			return nil
		})
	}
	if len(have) == 0 {
		return note()
	}
	return archiving(ctx, l, func(a *archiver) error {
		var errs []error // of one item do not concern the others
		for _, w := range have {
			errs = append(errs, a.moveTexts(ctx, w))
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
		return note()
	})
}

// archivedTexts is the value of keyTexts.
func archivedTexts(f *store.Facts) (row []byte) {
	f.JSON(keyTexts, &row)
	return row
}

// moveTexts moves the texts of a completed item. It gets no others: see movesTexts.
func (a *archiver) moveTexts(ctx context.Context, w model.WorkItem) error {
	var hashes []string
	texts := map[string][]byte{}
	err := a.ViewFacts(ctx, func(f *store.Facts) error {
		hashes = f.Texts(w)
		for _, hash := range hashes {
			texts[hash] = f.Text(w, hash)
		}
		return nil
	})
	if err != nil {
		return err
	}
	dir := filepath.Join(a.dir, string(w.AgentID))
	if err := cmp.Or(a.home.Machine.Mkdir(dir), a.home.Machine.SyncDir(a.dir)); err != nil {
		return err
	}
	for _, hash := range hashes {
		if text := texts[hash]; text != nil { // otherwise it was never stored whole, and nothing describes it
			if err := a.home.Machine.WriteFile(filepath.Join(dir, store.TextFile(hash)), text); err != nil {
				return err
			}
		}
	}
	return a.Update(ctx, func(f *store.Facts) error {
		for _, hash := range hashes {
			f.Delete(store.TextKey(w, hash))
		}
		f.Delete(store.TextsKey(w))
		f.SameHead(w.AgentID)
		return nil
	})
}

// TextsMoved says where the archive is, if it was given the texts that the ledger had of an item's plans.
func TextsMoved(ctx context.Context, l *store.Ledger, w model.WorkItem) (places string, err error) {
	err = l.ViewFacts(ctx, func(f *store.Facts) error {
		row := store.DoneKey(model.Row{ID: w.ID, AgentID: w.AgentID, UpdatedAt: w.UpdatedAt})
		if last := archivedTexts(f); w.State == model.Completed && last != nil && bytes.Compare(row, last) >= 0 {
			var x Archive
			f.JSON(keyArchive, &x.Places)
			places = x.where()
		}
		return nil
	})
	return places, store.Explain(err)
}
