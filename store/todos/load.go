package todos

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"vise/model/todo"
	"vise/store/files"
)

// Snapshot is a session as it was read: every todo in list order, and every file that could not be read as one.
type Snapshot struct {
	Todos   []todo.Todo
	Damaged []Damage
	Sources []string
	// Index finds the todos.
	Index *todo.Index
	// bodies are set if they were asked for.
	bodies map[place]string
	// sum identifies a state of the files, for Same: their places and what the file system says about them.
	sum uint64
	// settled says that the last write of each file was long enough ago: any later write changes the file's times.
	settled bool
}

// settling is how long before a look a file's last write must be. It is longer than the resolution of any file system's clock.
const settling = 2 * time.Second

// place is a file's location: its source's directory and its name.
type place struct{ dir, file string }

// Resolve finds a todo by the word that a person types. For a file that cannot be read, the error is its damage, not that it is missing.
func (s Snapshot) Resolve(word string) (todo.Todo, error) {
	t, err := s.Index.Resolve(word)
	if err == nil {
		return t, nil
	}
	for i := range s.Damaged {
		if d := &s.Damaged[i]; d.named(word) {
			return t, fmt.Errorf("%s is damaged: %w", d.Ref(), d)
		}
	}
	return t, err
}

// Body returns the text below a todo's front matter, if the snapshot was loaded with bodies.
func (s Snapshot) Body(t todo.Todo) string { return s.bodies[place{t.Dir, t.File}] }

// Load reads every todo of the session, and also keeps the bodies if asked to. Readers need no lock: each file is complete, either old or
// new.
func (s *Session) Load(bodies bool) (Snapshot, error) {
	snap := Snapshot{bodies: map[place]string{}}
	err := s.walk(&snap, func(root *os.Root, at place, info fs.FileInfo) {
		t, c, err := readTodo(root, at.dir, at.file, info)
		switch {
		case files.IsGone(err):
		case err != nil:
			d := asDamage(err)
			d.Source, d.File = at.dir, at.file
			snap.Damaged = append(snap.Damaged, *d)
		default:
			t.Session = s.Name()
			snap.Todos = append(snap.Todos, t)
			if bodies {
				doc, _ := split(string(c.raw))
				snap.bodies[at] = doc.body
			}
		}
	})
	for i := range snap.Damaged {
		snap.Damaged[i].Session = s.Name()
	}
	todo.Sort(snap.Todos)
	snap.Index = todo.NewIndex(snap.Todos)
	slices.SortFunc(snap.Damaged, func(a, b Damage) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.File, b.File))
	})
	return snap, err
}

// Reload is Load for a caller that keeps a snapshot: before, which is the result of an earlier Reload or empty, is returned if no file
// changed since. Its todos have no history, which no list shows.
func (s *Session) Reload(before Snapshot) (Snapshot, error) {
	look, err := s.Look()
	if err != nil || before.settled && look.Same(before) {
		return before, err
	}
	snap, err := s.Load(false)
	for i := range snap.Todos {
		snap.Todos[i].History = nil
	}
	snap.Sources, snap.sum, snap.settled = look.Sources, look.sum, look.settled
	return snap, err
}

// Look returns a snapshot that says only which files exist and when they changed, for Same.
func (s *Session) Look() (Snapshot, error) {
	snap := Snapshot{settled: true}
	err := s.walk(&snap, func(_ *os.Root, at place, info fs.FileInfo) {
		var now files.Stat
		if info != nil {
			now = files.StatOf(info)
		}
		snap.saw(at, now)
		snap.settled = snap.settled && time.Since(time.Unix(0, now.Modified)) > settling
	})
	return snap, err
}

// walk notes the session's sources in a snapshot, and what cannot be a todo. It visits the other files; info is nil if it cannot be read.
func (s *Session) walk(snap *Snapshot, visit func(root *os.Root, at place, info fs.FileInfo)) error {
	dirs, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return s.gone(err)
	}
	for _, d := range dirs {
		switch {
		case strings.HasPrefix(d.Name(), "."):
		case d.Type()&fs.ModeSymlink != 0:
			snap.damage(Damage{File: printable(d.Name()), Rule: todo.RuleSymlink, Reason: "a symbolic link is not followed"})
		case d.IsDir():
			if err := s.walkSource(snap, d.Name(), visit); err != nil {
				return s.gone(err)
			}
		}
	}
	return nil
}

// gone adds ErrGone if the error says that the session was removed.
func (s *Session) gone(err error) error {
	if files.IsGone(err) {
		return fmt.Errorf("session %s: %w", s.Rel, ErrGone)
	}
	return fmt.Errorf("session %s: %w", s.Rel, err)
}

func (s *Session) walkSource(snap *Snapshot, dir string, visit func(root *os.Root, at place, info fs.FileInfo)) error {
	if !todo.ValidSource(dir) {
		snap.damage(Damage{Source: printable(dir), Rule: todo.RuleSource, Reason: "the directory's name is not a source"})
		return nil
	}
	root, err := files.Below(s.root, dir, false)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	snap.Sources = append(snap.Sources, dir)
	for _, f := range entries {
		switch name := f.Name(); {
		case !todo.IsTodoFile(name):
		case printable(name) != name:
			snap.damage(Damage{Source: dir, File: printable(name), Rule: todo.RuleName,
				Reason: "the file's name holds characters that cannot be shown"})
		default:
			info, _ := f.Info()
			visit(root, place{dir, name}, info)
		}
	}
	return nil
}

// damage notes a file that cannot be read because of its name or kind.
func (s *Snapshot) damage(d Damage) {
	s.Damaged = append(s.Damaged, d)
	s.saw(place{d.Source, d.File}, files.Stat{})
}

var seed = maphash.MakeSeed()

// saw adds a file to the sum. The order of files does not matter.
func (s *Snapshot) saw(at place, now files.Stat) {
	s.sum ^= maphash.Comparable(seed, struct {
		place
		files.Stat
	}{at, now})
}

// printable replaces the characters of a name that cannot be shown.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return '·'
	}, name)
}

// unfinished is how long after a write a file without a readable end can be half written, by an editor that writes in place.
const unfinished = time.Second

// readTodo reads a file as a todo. It reads a file again that an editor may not have written to its end.
func readTodo(root *os.Root, dir, name string, info fs.FileInfo) (t todo.Todo, c content, err error) {
	for range 100 {
		c, err = readFile(root, name, maxTodoBytes, info)
		again := err != nil && asDamage(err).Rule == todo.RuleChanging
		if err == nil {
			t, err = Parse(c.raw, dir, name)
			again = (err != nil || c.raw[len(c.raw)-1] != '\n') && time.Since(c.info.ModTime()) < unfinished
		}
		if !again {
			break
		}
		time.Sleep(unfinished / 100)
		info = nil
	}
	return t, c, err
}

func asDamage(err error) *Damage {
	if d, ok := errors.AsType[*Damage](err); ok {
		copied := *d
		return &copied
	}
	return damaged(todo.RuleUnreadable, "%s", err.Error())
}

// Same reports whether two snapshots of one session, from Reload or Look, saw the same files in the same state.
func (s Snapshot) Same(t Snapshot) bool {
	return slices.Equal(s.Sources, t.Sources) && s.sum == t.sum
}

// maxTodoBytes bounds the size of a todo file.
const maxTodoBytes = 1 << 20

// content is a file as it was read, with its state at that time.
type content struct {
	raw  []byte
	info fs.FileInfo
}

// readFile reads a regular file of a directory completely. It follows no link and does not block on a pipe. It notices a file
// that was replaced or written after before, an earlier state of it or nil, and reads it again a few times.
func readFile(dir *os.Root, name string, limit int64, before fs.FileInfo) (c content, err error) {
	for range 3 {
		c, err = readOnce(dir, name, limit, before)
		if err == nil || asDamage(err).Rule != todo.RuleChanging {
			break
		}
		before = nil
	}
	return c, err
}

func readOnce(dir *os.Root, name string, limit int64, before fs.FileInfo) (content, error) {
	if before == nil {
		var err error
		if before, err = dir.Lstat(name); err != nil {
			return content{}, unreadable(err)
		}
	}
	switch {
	case before.Mode()&fs.ModeSymlink != 0:
		return content{}, damaged(todo.RuleSymlink, "the file is a symbolic link, which is not followed")
	case !before.Mode().IsRegular():
		return content{}, damaged(todo.RuleNotRegular, "it is not a regular file")
	case before.Size() > limit:
		return content{}, damaged(todo.RuleTooLarge, "the file has %d bytes; up to %d are read", before.Size(), limit)
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return content{}, unreadable(err)
	}
	defer f.Close()
	raw := make([]byte, before.Size())
	n, err := io.ReadFull(f, raw)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return content{}, unreadable(err)
	}
	after, err := f.Stat()
	if err != nil {
		return content{}, unreadable(err)
	}
	if int64(n) != before.Size() || !same(before, after) {
		return content{}, damaged(todo.RuleChanging, "the file changed while it was read")
	}
	return content{raw[:n], after}, nil
}

// same reports whether two states are of one unchanged file.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func unreadable(err error) error {
	if files.IsGone(err) {
		return err
	}
	return damaged(todo.RuleUnreadable, "the file cannot be read: %s", plain(err).Error())
}

// plain returns a file system error without the call and the path, which the surrounding message names.
func plain(err error) error {
	if in, ok := errors.AsType[*fs.PathError](err); ok {
		return in.Err
	}
	return err
}
