package store

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store/files"
)

// A ledger on a cluster, which counts revisions itself, keeps the whole text of a plan that is longer than its preview, for the machines
// that do not have the file. The text lies under its hash, so that nothing that is read changes. A list for each item names the hashes of
// its texts.

// bodiesKept are the present text and the last five.
const bodiesKept = 6

func TextsKey(w model.WorkItem) []byte {
	return cat(TablePlan, string(w.AgentID), "/", string(w.ID), "/kept")
}

func TextKey(w model.WorkItem, hash string) []byte {
	return cat(TablePlan, string(w.AgentID), "/", string(w.ID), "/", digitsOf(hash), "/0")
}

func digitsOf(hash string) string {
	_, digits, _ := strings.Cut(hash, ":")
	return digits
}

func awaitedKey(w model.WorkItem) []byte {
	return cat(tableAwaited, string(w.AgentID), "/", string(w.ID))
}

// Texts are the hashes of the texts that are kept for an item, oldest first.
func (f *Facts) Texts(w model.WorkItem) (kept []string) {
	f.JSON(TextsKey(w), &kept)
	return kept
}

// keepText stores the text that an item's description describes. It drops the oldest text beyond the limit.
func (f *Facts) keepText(w model.WorkItem, text []byte) {
	hash := w.PlanArtifact.Hash
	kept := append(slices.DeleteFunc(f.Texts(w), func(old string) bool { return old == hash }), hash)
	for ; len(kept) > bodiesKept; kept = kept[1:] {
		f.Delete(TextKey(w, kept[0]))
	}
	f.PutJSON(TextsKey(w), kept)
	f.Put(TextKey(w, hash), text)
}

// SameHead writes the head of an agent as it is: each change of a part writes it.
func (f *Facts) SameHead(part model.AgentID) {
	head, err := f.Txn.Get(HeadKey(part))
	f.Fail(err)
	f.Fail(f.Txn.Put(HeadKey(part), bytes.Clone(head)))
}

// saveBody stores the text that came with a command.
func (f *Facts) saveBody(c model.SavePlan) {
	if w, _ := f.Item(c.WorkItemID); f.Txn.Counts() && model.KeepsBody(w.PlanArtifact) {
		f.keepText(w, []byte(c.Text.Raw())) // raw: stored, not shown
	}
}

// KeepPlan stores the whole text of an item's plan, unless the ledger has it or describes another one, or moves its texts to the archive.
func (l *Ledger) KeepPlan(ctx context.Context, w model.WorkItem, text []byte) error {
	if known, err := l.PlanBody(ctx, w); err != nil || known != nil {
		return err
	}
	return Explain(l.Update(ctx, func(f *Facts) error {
		now, _ := f.Item(w.ID)
		if f.Err == nil && f.Txn.Counts() && !l.movesTexts(now) && now.PlanArtifact.Hash == w.PlanArtifact.Hash {
			f.keepText(now, text)
			f.SameHead(now.AgentID)
		}
		return nil
	}))
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

// Text is a text of an item; nil if it is not kept.
func (f *Facts) Text(w model.WorkItem, hash string) []byte {
	return bytes.Clone(f.Payload(TextKey(w, hash)))
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
