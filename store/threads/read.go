package threads

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/files"
)

// Snapshot reads a repository's threads: each file once, when it is first needed. It is the Facts of one command.
type Snapshot struct {
	repo    Repo
	dir     *os.Root // nil if there is no Work State yet
	pointer thread.Pointer
	threads map[thread.ID]entry
	// seen is every file as it was read; nil for a missing file.
	seen   map[string][]byte
	broken []thread.Damaged
}

type entry struct {
	thread thread.Thread
	there  bool
	err    error
}

// Read opens a snapshot. The caller must close it.
func (r Repo) Read() (*Snapshot, error) {
	dir, err := r.open()
	if files.IsGone(err) {
		return &Snapshot{repo: r, threads: map[thread.ID]entry{}, seen: map[string][]byte{pointer: nil}}, nil
	}
	if err != nil {
		return nil, err
	}
	return r.snapshot(dir)
}

func (r Repo) snapshot(dir *os.Root) (*Snapshot, error) {
	s := &Snapshot{repo: r, dir: dir, threads: map[thread.ID]entry{}, seen: map[string][]byte{}}
	raw, err := s.read(pointer)
	switch {
	case files.IsGone(err):
	case err != nil:
		s.pointer = thread.Pointer{Broken: err}
	default:
		s.pointer = thread.ReadPointer(raw)
	}
	return s, nil
}

// Close releases the directory.
func (s *Snapshot) Close() {
	if s.dir != nil {
		s.dir.Close()
	}
}

func (s *Snapshot) read(name string) ([]byte, error) {
	if s.dir == nil {
		return nil, fs.ErrNotExist
	}
	raw, err := readPlain(s.dir, name)
	if err == nil || files.IsGone(err) {
		s.seen[name] = raw
	}
	return raw, err
}

// Pointer implements thread.Facts.
func (s *Snapshot) Pointer() thread.Pointer { return s.pointer }

// Thread implements thread.Facts.
func (s *Snapshot) Thread(id thread.ID) (thread.Thread, bool, error) {
	if !thread.ValidID(string(id)) {
		return thread.Thread{}, false, model.Invalid("%q is not a thread id", model.Text(id)).At("task_id")
	}
	e, known := s.threads[id]
	if !known {
		e = s.load(id)
		s.threads[id] = e
	}
	return e.thread, e.there, e.err
}

// A program that writes a file in place leaves it empty or incomplete for a moment. A file that is empty, or that changes while it cannot
// be read, is read again.
const (
	settleTries = 40
	settlePause = 3 * time.Millisecond
)

func (s *Snapshot) load(id thread.ID) entry {
	var before []byte
	for try := 0; ; try++ {
		raw, err := s.read(threadFile(id))
		if files.IsGone(err) {
			return entry{}
		}
		if err != nil {
			return entry{err: s.repo.explain("read thread "+string(id), err)}
		}
		t, err := thread.Read(id, raw)
		if err == nil {
			return entry{thread: t, there: true}
		}
		if settled := len(raw) > 0 && bytes.Equal(raw, before); settled || try == settleTries {
			return entry{err: model.Refuse(model.CodeDamaged, "thread %s cannot be read", id).Because(err).
				WithHint("see vise thread doctor; the file is left alone")}
		}
		before = raw
		time.Sleep(settlePause)
	}
}

// Threads implements thread.Facts. Afterwards Broken lists the files that cannot be read.
func (s *Snapshot) Threads() ([]thread.Thread, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	s.broken = nil
	var out []thread.Thread
	for _, id := range ids {
		t, there, err := s.Thread(id)
		if err != nil {
			s.broken = append(s.broken, thread.Damaged{ID: id, Cause: err})
		} else if there {
			out = append(out, t)
		}
	}
	return out, nil
}

// Broken returns the threads that Threads could not read.
func (s *Snapshot) Broken() []thread.Damaged { return s.broken }

// Unread is why the first of Broken cannot be read; nil if there is none.
func (s *Snapshot) Unread() error {
	for _, b := range s.broken {
		return b.Cause
	}
	return nil
}

// ids returns the threads that have a file, sorted.
func (s *Snapshot) ids() (ids []thread.ID, err error) {
	if s.dir == nil {
		return nil, nil
	}
	sub, err := files.Below(s.dir, threadsDir, false)
	if files.IsGone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, s.repo.explain("list threads", err)
	}
	defer sub.Close()
	entries, err := fs.ReadDir(sub.FS(), ".")
	if err != nil {
		return nil, s.repo.explain("list threads", err)
	}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), jsonSuffix); ok && thread.ValidID(id) {
			ids = append(ids, thread.ID(id))
		}
	}
	return ids, nil
}

func threadFile(id thread.ID) string { return threadsDir + "/" + string(id) + jsonSuffix }
func logFile(id thread.ID) string    { return threadsDir + "/" + string(id) + logSuffix }
