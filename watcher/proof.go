package watcher

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// proofMark begins the names of the files that prove that events arrive, in the ledger's directory.
const (
	proofMark  = ".watching-"
	proofLimit = 5 * time.Second
)

// proof is a file of the watcher's own, whose event comes after the events of all that happened
// before it was made: whoever sees it has caught up. One is made after the start, when events were
// lost, when the process was stopped for a while, and when CaughtUp asks.
type proof struct {
	path  string // of the file that is awaited; empty if none is
	until time.Time
	// asked wait for a file that is to be made, owed for the one that was, ready for what it
	// announced to be read.
	asked, owed, ready []chan struct{}
}

// prove makes the file. Where none can be made, or no event comes, everything is compared instead.
func (e *engine) prove(now time.Time) {
	e.dropProof()
	e.proof.owed, e.proof.asked = append(e.proof.owed, e.proof.asked...), nil
	if e.source == nil || e.ledgerDir == nil || !e.ledgerDir.watched {
		e.proven(now, true)
		return
	}
	path, err := e.disk.MakeFile(e.ledgerDir.path, proofMark+"*")
	if err != nil {
		e.proven(now, true) // of a home that is only read
		return
	}
	e.proof.path, e.proof.until = path, now.Add(proofLimit)
}

// proven: what happened before the file was made has been announced or, unseen, is compared now.
func (e *engine) proven(now time.Time, unseen bool) {
	e.dropProof()
	if unseen && len(e.proof.owed) > 0 {
		e.sweep(now)
	}
	e.proof.ready, e.proof.owed = append(e.proof.ready, e.proof.owed...), nil
}

func (e *engine) dropProof() {
	if e.proof.path != "" {
		_ = os.Remove(e.proof.path)
		e.proof.path, e.proof.until = "", time.Time{}
	}
}

// isProof takes an event of such a file; those of other processes say nothing.
func (e *engine) isProof(event fsnotify.Event, now time.Time) bool {
	if !strings.HasPrefix(filepath.Base(event.Name), proofMark) {
		return false
	}
	if event.Name == e.proof.path {
		e.proven(now, false)
	}
	return true
}

// settleProof gives up the events where the file has none, and answers who asked once all that
// was announced has been read.
func (e *engine) settleProof(now time.Time) {
	if e.proof.path != "" && !now.Before(e.proof.until) {
		e.fall("file events do not arrive", now)
		e.proven(now, true)
	}
	if len(e.dirty) > 0 || !e.ledger.due.IsZero() {
		return
	}
	for _, c := range e.proof.ready {
		close(c)
	}
	e.proof.ready = nil
}
