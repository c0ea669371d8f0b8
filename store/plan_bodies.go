package store

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/kv"
)

// A ledger on a cluster keeps the whole text of a plan that is longer than its preview, for the machines that do not have the file. The
// text lies in pieces under its hash, so that nothing that is read changes. A list for each item names the hashes of its texts. The first
// piece is stored together with its hash in the list, and the last one together with the description.
const (
	pieceBytes = 512 << 10
	mostPieces = (model.MaxPlanBody + pieceBytes - 1) / pieceBytes
	// bodiesKept are the present text and the last five.
	bodiesKept = 6
)

// planBody is the whole text of a plan in pieces, for a commit each.
type planBody struct {
	hash   string
	pieces [][]byte
}

func bodyOf(hash string, text []byte) planBody {
	return planBody{hash, slices.Collect(slices.Chunk(text, pieceBytes))}
}

func TextsKey(w model.WorkItem) []byte {
	return cat(TablePlan, string(w.AgentID), "/", string(w.ID), "/kept")
}

func piecesPrefix(w model.WorkItem, hash string) []byte {
	return cat(TablePlan, string(w.AgentID), "/", string(w.ID), "/", digitsOf(hash), "/")
}

func digitsOf(hash string) string {
	_, digits, _ := strings.Cut(hash, ":")
	return digits
}

func pieceKey(w model.WorkItem, hash string, n int) []byte {
	return append(piecesPrefix(w, hash), strconv.Itoa(n)...)
}

func awaitedKey(w model.WorkItem) []byte {
	return cat(tableAwaited, string(w.AgentID), "/", string(w.ID))
}

// keepsBodies reports whether the ledger keeps the whole texts of plans. One in a file or in memory does not: its plan files are beside it.
func (f *Facts) keepsBodies() bool {
	return f.Txn.Counts()
}

// Texts are the hashes of the texts that are kept for an item, oldest first.
func (f *Facts) Texts(w model.WorkItem) (kept []string) {
	f.JSON(TextsKey(w), &kept)
	return kept
}

// keepPieces stores pieces of a text. It drops the oldest text beyond the limit, but not that of the item's description.
func (f *Facts) keepPieces(w model.WorkItem, b planBody, pieces ...int) {
	kept := slices.DeleteFunc(f.Texts(w), func(hash string) bool { return hash == b.hash })
	kept = append(kept, b.hash)
	for len(kept) > bodiesKept {
		old := slices.IndexFunc(kept, func(hash string) bool { return hash != w.PlanArtifact.Hash })
		f.DropText(w, kept[old])
		kept = slices.Delete(kept, old, old+1)
	}
	f.PutJSON(TextsKey(w), kept)
	for _, n := range pieces {
		f.Put(pieceKey(w, b.hash, n), b.pieces[n])
	}
}

// DropText deletes the pieces of a text.
func (f *Facts) DropText(w model.WorkItem, hash string) {
	for n := range mostPieces {
		f.Delete(pieceKey(w, hash, n))
	}
}

// SameHead writes the head of an agent as it is: each change of a part writes it.
func (f *Facts) SameHead(part model.AgentID) {
	head, err := f.Txn.Get(HeadKey(part))
	f.Fail(err)
	f.Fail(f.Txn.Put(HeadKey(part), bytes.Clone(head)))
}

// saveBody stores the text that came with a command, or its last piece if the others were stored before.
func (f *Facts) saveBody(c model.SavePlan) {
	w, _ := f.Item(c.WorkItemID)
	if !f.keepsBodies() || !model.KeepsBody(w.PlanArtifact) {
		return
	}
	b := bodyOf(w.PlanArtifact.Hash, []byte(c.Text.Raw())) // raw: stored, not shown
	last := len(b.pieces) - 1
	if last > 0 && !slices.Contains(f.Texts(w), b.hash) {
		f.Fail(model.Busy("others keep saving the plan of %s", w.Handle).WithHint("try again; nothing was changed"))
		return
	}
	f.keepPieces(w, b, last)
}

// saveAhead stores all pieces but the last of a text that comes with a command, each in a commit of its own. A text whose command is
// refused after that is dropped like an old one.
func (l *Ledger) saveAhead(ctx context.Context, command model.Command) error {
	c, ok := command.(model.SavePlan)
	if !ok || len(c.Text) <= pieceBytes || !model.KeepsBody(c.Plan) {
		return nil
	}
	b := bodyOf(c.Plan.Hash, []byte(c.Text.Raw())) // raw: stored, not shown
	return l.storePieces(ctx, c.WorkItemID, b, len(b.pieces)-1, func(w model.WorkItem) bool { return w.PlanArtifact.Hash == c.Base })
}

// KeepPlan stores the whole text of an item's plan, unless the ledger has it or describes another one.
func (l *Ledger) KeepPlan(ctx context.Context, w model.WorkItem, text []byte) error {
	if known, err := l.PlanBody(ctx, w); err != nil || known != nil {
		return err
	}
	b := bodyOf(w.PlanArtifact.Hash, text)
	err := l.storePieces(ctx, w.ID, b, len(b.pieces), func(now model.WorkItem) bool { return now.PlanArtifact.Hash == b.hash })
	return Explain(err)
}

// storePieces stores the first pieces of a text while the item is as wanted and its texts are not moved to the archive.
func (l *Ledger) storePieces(ctx context.Context, item model.ItemID, b planBody, pieces int, wanted func(model.WorkItem) bool) error {
	const tries = 5
	for n := range pieces {
		put := func(t Txn) error {
			f := NewFacts(t)
			w, _ := f.Item(item)
			if f.Err != nil || !f.keepsBodies() || l.movesTexts(w) || !wanted(w) {
				return f.Err
			}
			f.keepPieces(w, b, n)
			f.SameHead(w.AgentID)
			return f.Err
		}
		err := l.Update(ctx, put)
		for try := 1; errors.Is(err, ErrUnknown) && try < tries && ctx.Err() == nil; try++ {
			err = l.Update(ctx, put)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// PlanBody returns the whole text of the plan that w describes, from the ledger or from the archive in this home. It is nil if they do not
// have it.
func (l *Ledger) PlanBody(ctx context.Context, w model.WorkItem) (text []byte, err error) {
	err = l.ViewFacts(ctx, func(f *Facts) error {
		text = f.PlanBody(w)
		return nil
	})
	if err == nil && text == nil && l.home.Dir != "" && w.State == model.Completed && model.KeepsBody(w.PlanArtifact) {
		text = ArchivedText(ArchiveIn(l.home.Dir), w)
	}
	return text, Explain(err)
}

func (f *Facts) PlanBody(w model.WorkItem) (text []byte) {
	p := w.PlanArtifact
	switch {
	case p.Condition == model.PlanOK && p.PreviewComplete:
		return []byte(p.Preview.Raw()) // raw: the text of a file
	case !model.KeepsBody(p):
		return nil
	}
	if text = f.Text(w, p.Hash); text != nil {
		return text
	}
	if text = []byte(f.seed(w).Raw()); isText(p.Hash, text) { // raw: the text of a file
		return text
	}
	return nil
}

// Text is a text of an item; nil if it is not kept, or not whole.
func (f *Facts) Text(w model.WorkItem, hash string) (text []byte) {
	f.Scan(Prefix(piecesPrefix(w, hash)), func(key, value []byte) bool {
		piece, err := kv.Unframe(key, value)
		f.Harmed(err)
		text = append(text, piece...)
		return len(text) < model.MaxPlanBody
	})
	if !isText(hash, text) {
		return nil
	}
	return text
}

// isText reports whether a text has a hash.
func isText(hash string, text []byte) bool { return "sha256:"+HashOf(text) == hash }

// AwaitedPlans returns the items whose plan file shall get an edit of another machine, with their agents.
func (l *Ledger) AwaitedPlans(ctx context.Context) (map[model.ItemID]model.AgentID, error) {
	awaited := map[model.ItemID]model.AgentID{}
	err := l.ViewFacts(ctx, func(f *Facts) error {
		clear(awaited)
		f.Scan(Prefix([]byte(tableAwaited)), func(key, _ []byte) bool {
			agent, item, _ := strings.Cut(string(key[len(tableAwaited):]), "/")
			awaited[model.ItemID(item)] = model.AgentID(agent)
			return true
		})
		return nil
	})
	return awaited, Explain(err)
}

// movesTexts reports whether an item's texts belong to the archive.
func (l *Ledger) movesTexts(w model.WorkItem) bool {
	return w.State == model.Completed && l.Now().Sub(w.UpdatedAt) >= TextsKept
}

// TextsKept is how long the texts of a completed item stay on a cluster.
const TextsKept = 7 * 24 * time.Hour

// TextFile is the name of the file of a text in the archive.
func TextFile(hash string) string { return digitsOf(hash) + ".md" }

// ArchivedText is the text of a plan in the archive's files in a directory; nil if they do not have it.
func ArchivedText(dir string, w model.WorkItem) []byte {
	places, _ := files.ReadDir(dir)
	for _, place := range places {
		path := filepath.Join(dir, place.Name(), string(w.AgentID), TextFile(w.PlanArtifact.Hash))
		if text, err := files.ReadSmall(path, model.MaxPlanBody); err == nil && isText(w.PlanArtifact.Hash, text) {
			return text
		}
	}
	return nil
}

// ArchiveIn is the directory of the archive's files in a home.
func ArchiveIn(dir string) string { return filepath.Join(dir, "archive") }
