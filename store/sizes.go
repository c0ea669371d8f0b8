package store

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vise/store/kv"
)

// Part is the size of one part of a home on the disk.
type Part struct {
	Name string `json:"part"`
	// Count is the number of keys, frames or files.
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
	// Whole is the uncompressed size of compressed bytes.
	Whole int64 `json:"unpacked_bytes,omitempty"`
}

// partsOfLedger are the parts of a ledger's file with their tables. All other tables are in partLists.
var partsOfLedger = []struct {
	name   string
	tables []string
}{
	{"records", []string{"agent/", "attempt/", "brief/", "delegation/", "delivery/", "ingress/", "item/", "message/", "offers/", "seen/",
		"task/", "trace/", "wait/"}},
	{"history, not packed", []string{TableJournal}},
	{"changes by agent and item", []string{TableLog, TableTrail}},
	{"keys of retries", []string{tableAnswer}},
}

const (
	partLists  = "lists, names and counts"
	partPacked = "history, packed"
	partUnused = "free pages and unused space in pages"
)

// Sizes returns the sizes of the parts of the home, the ledger's first. It reads a copy, so no process waits for it.
func (l *Ledger) Sizes(ctx context.Context) (parts []Part, err error) {
	err = l.ReadCopy(ctx, func(z *Ledger) error {
		return z.backend.View(ctx, func(t Txn) error {
			if parts, err = sizesOf(until{t, ctx}); err != nil {
				return err
			}
			if l.Can.File != nil {
				parts, err = ofFile(t, parts)
			}
			return err
		})
	})
	if err == nil && l.home.Dir != "" {
		parts = append(parts, l.home.sizes()...)
	}
	return parts, Explain(err)
}

// sizesOf returns the sizes of the parts from their keys and values.
func sizesOf(t Txn) ([]Part, error) {
	parts := make([]Part, 0, len(partsOfLedger)+1)
	of := map[string]int{}
	for i, p := range partsOfLedger {
		parts = append(parts, Part{Name: p.name})
		for _, table := range p.tables {
			of[table] = i
		}
	}
	parts = append(parts, Part{Name: partLists})
	for _, table := range Tables {
		i, ok := of[table]
		if !ok {
			i = len(partsOfLedger)
		}
		p := &parts[i]
		if err := t.Scan(Prefix([]byte(table)), func(key, value []byte) bool {
			p.Count++
			p.Bytes += int64(len(key) + len(value) + kv.ElementBytes)
			return true
		}); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// ofFile replaces the size of the history by those of its unpacked and its packed part, and adds the rest of the file.
func ofFile(t Txn, parts []Part) ([]Part, error) {
	loose, frames, size, err := kv.HistoryOf(t)
	name := partsOfLedger[1].name
	parts[slices.IndexFunc(parts, func(p Part) bool { return p.Name == name })] = Part{Name: name, Count: loose.Keys, Bytes: loose.Bytes}
	parts = append(parts, Part{partPacked, frames.Keys, frames.Bytes, frames.Whole})
	for _, p := range parts {
		size -= p.Bytes
	}
	return append(parts, Part{Name: partUnused, Bytes: size}), err
}

// sizes returns the sizes of the home's other files.
func (h Home) sizes() []Part {
	parts := []Part{
		{Name: "copy of the history"}, {Name: "snapshots"}, {Name: "plan files and reports"}, {Name: "kept aside"},
		{Name: "everything else"},
	}
	of := map[string]int{JournalDir: 0, SnapshotsDir: 1, AgentsDir: 2, asideDir: 3}
	_ = filepath.WalkDir(h.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == h.Path(LedgerFile) {
			return nil // an unreadable file has no size
		}
		rel, _ := filepath.Rel(h.Dir, path)
		first, _, _ := strings.Cut(rel, string(os.PathSeparator))
		i, ok := of[first]
		if !ok {
			i = len(parts) - 1
		}
		if info, err := d.Info(); err == nil {
			parts[i].Count++
			parts[i].Bytes += info.Size()
		}
		return nil
	})
	return parts
}
