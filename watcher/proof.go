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

// proof is a file of the watcher's own, and the callers of CaughtUp, who wait for it.
//
// A directory's events come in the order of its changes. So when the event of a file arrives that the engine has just created, the events
// of everything before it have arrived too. The engine creates one after the start, when events were lost, when the process was stopped
// for a while, and for CaughtUp. A caller of CaughtUp waits in one of three states:
//
//	CaughtUp ─► wantFile ──prove──► wantEvent ──proven──► wantReads ──settleProof──► answered
//	            no file was         the file is there,    its event came, but        no plan and no ledger is
//	            created for it      its event not yet     plans are still to read    left to read
//
// If the file cannot be created, or its event does not come within proofLimit, everything is compared instead, and the callers go on to
// wantReads.
type proof struct {
	path  string // of the file whose event is awaited; empty if there is none
	until time.Time
	// The channels of the callers, by their state. A channel is closed as the answer.
	wantFile, wantEvent, wantReads []chan struct{}
}

// prove creates the file. If that fails, or if no event comes, the engine compares everything
// instead.
func (e *engine) prove(now time.Time) {
	e.dropProof()
	e.proof.wantEvent, e.proof.wantFile = append(e.proof.wantEvent, e.proof.wantFile...), nil
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
	if unseen && len(e.proof.wantEvent) > 0 {
		e.sweep(now)
	}
	e.proof.wantReads, e.proof.wantEvent = append(e.proof.wantReads, e.proof.wantEvent...), nil
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
	for _, c := range e.proof.wantReads {
		close(c)
	}
	e.proof.wantReads = nil
}
