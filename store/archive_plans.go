package store

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
	"vise/store/files"
)

// The whole texts of a completed item's plans stay on the cluster until the item did not change for a week. Then a server moves them to its
// archive: to the directory of the agent, a file for each text, under its hash. A text is first written and synced, and only then deleted
// from the cluster. A completed item is never opened again.

const (
	textsKept = 7 * 24 * time.Hour
	// textsEvery is how often an archiver looks for such items. It asks for those of each agent.
	textsEvery = time.Hour
	textSuffix = ".md"
)

// keyTexts has the row of the newest completed item that was looked at. An item that is completed later has a newer row.
var keyTexts = []byte("about/texts")

// archiveTexts moves the texts of the items that are old now.
func (l *Ledger) archiveTexts(ctx context.Context) error {
	var old [][]byte          // rows, newest first
	var have []model.WorkItem // those that have texts, oldest first
	err := l.view(ctx, func(f *Facts) error {
		old, have = nil, nil
		done := Prefix([]byte(tableDone))
		done.From = cat(tableDone, newestFirst(l.Now().Add(-textsKept)))
		if last := f.archivedTexts(); last != nil {
			done.To = last
		}
		f.scan(done, func(key, _ []byte) bool {
			old = append(old, bytes.Clone(key))
			return true
		})
		for _, row := range slices.Backward(old) {
			id, _, _ := strings.Cut(string(row[len(tableDone)+ageSize:]), "/")
			w := model.WorkItem{ID: model.ItemID(id), AgentID: PartOf(row)}
			if len(f.bodies(w)) > 0 {
				have = append(have, w)
			}
		}
		return f.Err
	})
	if err != nil || len(old) == 0 {
		return err
	}
	note := func() error {
		return l.update(ctx, func(t Txn) error {
			f := newFacts(t)
			f.putJSON(keyTexts, old[0])
			return f.Err
		})
	}
	if len(have) == 0 {
		return note()
	}
	return l.archiving(ctx, func(a *archiver) error {
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
func (f *Facts) archivedTexts() (row []byte) {
	f.getJSON(keyTexts, &row)
	return row
}

// movesTexts reports whether an item's texts belong to the archive.
func (l *Ledger) movesTexts(w model.WorkItem) bool {
	return w.State == model.Completed && l.Now().Sub(w.UpdatedAt) >= textsKept
}

// moveTexts moves the texts of a completed item. It gets no others: see movesTexts.
func (a *archiver) moveTexts(ctx context.Context, w model.WorkItem) error {
	var hashes []string
	texts := map[string][]byte{}
	err := a.view(ctx, func(f *Facts) error {
		hashes = f.bodies(w)
		for _, hash := range hashes {
			texts[hash] = f.text(w, hash)
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
			if err := a.home.Machine.WriteFile(filepath.Join(dir, digitsOf(hash)+textSuffix), text); err != nil {
				return err
			}
		}
	}
	return a.update(ctx, func(t Txn) error {
		f := newFacts(t)
		for _, hash := range hashes {
			f.dropText(w, hash)
		}
		f.delete(bodiesKey(w))
		f.sameHead(w.AgentID)
		return f.Err
	})
}

// archivedText is the text of a plan in the archive's files in a directory; nil if they do not have it.
func archivedText(dir string, w model.WorkItem) []byte {
	places, _ := files.ReadDir(dir)
	for _, place := range places {
		path := filepath.Join(dir, place.Name(), string(w.AgentID), digitsOf(w.PlanArtifact.Hash)+textSuffix)
		if text, err := files.ReadSmall(path, model.MaxPlanBody); err == nil && isText(w.PlanArtifact.Hash, text) {
			return text
		}
	}
	return nil
}

// TextsMoved says where the archive is, if it was given the texts that the ledger had of an item's plans.
func (l *Ledger) TextsMoved(ctx context.Context, w model.WorkItem) (places string, err error) {
	err = l.view(ctx, func(f *Facts) error {
		row := doneKey(model.Row{ID: w.ID, AgentID: w.AgentID, UpdatedAt: w.UpdatedAt})
		if last := f.archivedTexts(); w.State == model.Completed && last != nil && bytes.Compare(row, last) >= 0 {
			var x Archive
			f.getJSON(keyArchive, &x.Places)
			places = x.where()
		}
		return nil
	})
	return places, Explain(err)
}
