// Package spool keeps what a hook read while the ledger was busy: one small file each, in
// the home, until the next process that opens the ledger takes it in. The key of an entry
// makes sure that it counts once, however many processes find it.
package spool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
)

// Entry is what a hook read of a completing round.
type Entry struct {
	// Key names the round, so that it counts once whoever brings it.
	Key   string        `json:"key"`
	Agent model.AgentID `json:"agent_id"`
	// Items are references to all items that the round completed, as they were written.
	Items      []string       `json:"work_items"`
	Text       model.Text     `json:"text"`
	Provenance model.ReportOf `json:"provenance"`
	At         time.Time      `json:"at"`
}

// Bounds of a spool: the size of a file, and how many one process takes in at once.
const (
	maxEntry = 1 << 20
	atOnce   = 200
	// patience is what taking in may wait for the ledger before it is somebody else's turn.
	patience = time.Second
)

func dirOf(home string) string     { return filepath.Join(home, "spool") }
func refusedOf(home string) string { return filepath.Join(dirOf(home), "refused") }

// Write puts an entry into the spool of a home. Writing it twice leaves one.
func Write(home string, e Entry) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dirOf(home), 0o700); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	sum := sha256.Sum256([]byte(e.Key))
	name := fmt.Sprintf("%s-%s.json", e.At.UTC().Format("20060102T150405"), hex.EncodeToString(sum[:12]))
	if err := files.WriteAtomic(filepath.Join(dirOf(home), name), raw); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}

// Deliver applies an entry. A *model.Error with a code of the rules means that it will
// never be accepted.
func Deliver(ctx context.Context, l *store.Ledger, e Entry) (model.Receipt, error) {
	c := model.OfferReport{Text: e.Text, Provenance: e.Provenance}
	for _, ref := range e.Items {
		id, err := l.Resolve(ctx, ref)
		if err != nil {
			return model.Receipt{}, err
		}
		c.WorkItemIDs = append(c.WorkItemIDs, id)
	}
	return l.Apply(ctx, model.Envelope{Key: e.Key, Actor: model.AgentActor(e.Agent), Agent: e.Agent, Command: c})
}

// Final reports whether an error of Deliver says that trying again is of no use.
func Final(err error) bool {
	if ledger := new(store.Refusal); errors.As(err, &ledger) {
		return false // it is about the home, not about the entry
	}
	for _, c := range []model.Code{model.CodeInvalid, model.CodeNotFound, model.CodeAmbiguous, model.CodeNotOwner, model.CodeRefused, model.CodeCompleted} {
		if errors.Is(err, &model.Error{Code: c}) {
			return true
		}
	}
	return false
}

// TakeIn applies what lies in the spool, oldest first, and removes it. What the rules
// refuse, or what is no entry, is moved aside to spool/refused. A busy ledger leaves the
// rest for the next process; that is no error. An empty spool costs one look at a directory.
func TakeIn(ctx context.Context, home string, l *store.Ledger) (taken int, err error) {
	list, err := os.ReadDir(dirOf(home))
	if err != nil || len(list) == 0 {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, x := range list {
		if !strings.HasSuffix(x.Name(), ".json") || taken == atOnce {
			continue
		}
		done, err := takeIn(ctx, home, x.Name(), l)
		if err != nil || ctx.Err() != nil {
			return taken, err
		}
		if done {
			taken++
		}
	}
	return taken, nil
}

// takeIn reports done when the entry counts now; a ledger that cannot take it ends the pass.
func takeIn(ctx context.Context, home, name string, l *store.Ledger) (done bool, err error) {
	path := filepath.Join(dirOf(home), name)
	e, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // another process was faster
	}
	if err == nil {
		_, err = Deliver(ctx, l, e)
		if err != nil && !Final(err) {
			return false, nil
		}
	}
	if err != nil {
		return false, setAside(home, name)
	}
	return true, gone(os.Remove(path))
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func setAside(home, name string) error {
	if err := os.MkdirAll(refusedOf(home), 0o700); err != nil {
		return err
	}
	return gone(os.Rename(filepath.Join(dirOf(home), name), filepath.Join(refusedOf(home), name)))
}

func read(path string) (Entry, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Entry{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxEntry {
		return Entry{}, fmt.Errorf("%s is no entry of the spool", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return Entry{}, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxEntry))
	if err != nil {
		return Entry{}, err
	}
	var e Entry
	return e, json.Unmarshal(raw, &e)
}

// Waiting counts what lies in the spool, and what was set aside.
func Waiting(home string) (waiting, refused int) {
	count := func(dir string) (n int) {
		list, _ := os.ReadDir(dir)
		for _, x := range list {
			if strings.HasSuffix(x.Name(), ".json") {
				n++
			}
		}
		return n
	}
	return count(dirOf(home)), count(refusedOf(home))
}
