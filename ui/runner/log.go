package runner

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// turnLog is the file that keeps what a program wrote, for people.
type turnLog struct {
	file *os.File
	mu   sync.Mutex // protects kept
	kept *Capped
}

// maxTurnLog bounds a turn's log, in bytes.
const maxTurnLog = 4 << 20

// openLog makes the turn's log. Without one the turn goes on all the same.
func (t *turn) openLog() *turnLog {
	dir := filepath.Join(t.LogDir, "turns", string(t.agent))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &turnLog{}
	}
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%08d.log", t.index)), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return &turnLog{}
	}
	return &turnLog{file: f, kept: &Capped{To: f, Max: maxTurnLog}}
}

// close ends the log.
func (l *turnLog) close() {
	if l.file != nil {
		l.file.Close()
	}
}

// beside writes to w and to the log.
func (l *turnLog) beside(w io.Writer) io.Writer {
	if l.kept == nil {
		return w
	}
	return io.MultiWriter(w, l)
}

// Write keeps what it can. Standard output and standard error come at once.
func (l *turnLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		return len(p), nil
	}
	return l.kept.Write(p)
}
