package watcher

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// proofMark is the start of the names of the proof files in the ledger's directory. proofLimit is
// how long the engine waits for the event of such a file.
const (
	proofMark  = ".watching-"
	proofLimit = 5 * time.Second
)

// proof is a file of the watcher's own. Its event comes after the events of everything before its
// creation, so the engine has then caught up. The engine creates one after the start, when events
// were lost, when the process was stopped for a while, and when CaughtUp asks.
type proof struct {
	path  string // of the awaited file; empty if there is none
	until time.Time
	// The channels of the callers of CaughtUp. asked wait for the next file, owed for the event of
	// the present one, ready for the read of what was announced before it.
	asked, owed, ready []chan struct{}
}

// prove creates the file. If that fails, or if no event comes, the engine compares everything
// instead.
func (e *engine) prove(now time.Time) {
	e.dropProof()
	e.proof.owed, e.proof.asked = append(e.proof.owed, e.proof.asked...), nil
	if e.source == nil || e.ledgerDir == nil || !e.ledgerDir.watched {
		e.proven(now, true)
		return
	}
	path, err := e.disk.MakeFile(e.ledgerDir.path, proofMark+"*")
	if err != nil {
		e.proven(now, true) // the home is read-only
		return
	}
	e.proof.path, e.proof.until = path, now.Add(proofLimit)
}

// proven notes that everything before the file's creation has been announced. With unseen it has
// not, and is compared now.
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

// isProof handles an event of a proof file. It ignores the files of other processes.
func (e *engine) isProof(event fsnotify.Event, now time.Time) bool {
	if !strings.HasPrefix(filepath.Base(event.Name), proofMark) {
		return false
	}
	if event.Name == e.proof.path {
		e.proven(now, false)
	}
	return true
}

// settleProof closes the source if the event of the file does not come in time. It answers the
// callers of CaughtUp once everything that was announced has been read.
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
