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
	"unicode"
	"unicode/utf8"

	"vise/model/todo"
	"vise/store/files"
)

// Snapshot is a session as it was read: every todo in list order, and every file that
// could not be read as one.
type Snapshot struct {
	Todos   []todo.Todo
	Damaged []Damage
	// Sources are the directories there are.
	Sources []string
	// names are all file names, by source: ids go on from them. Only Load and LoadBodies keep them and places.
	names map[string][]string
	// bodies are kept when they were asked for, by source directory and file.
	bodies map[place]string
	places map[todo.Ref]place
	// seen is every file as it was read, so that a later Reload reads only what changed; nil in
	// what Load gives.
	seen map[place]seenFile
	// sum tells one state of the files from another: of each, its place and what the file system says.
	sum  uint64
	full bool
	// looked: nothing was read. whole: what was seen is kept with its history.
	looked, whole bool
	// fresh is how many files were read that had rested.
	fresh int
	// read are the todos before they are in order.
	read []*todo.Todo
}

// loaded is one file as a todo, or its damage, or nothing when it vanished meanwhile.
type loaded struct {
	todo   *todo.Todo
	damage *Damage
}

// place is where a file lies: its source's directory and its name there.
type place struct{ dir, file string }

// Index finds the todos of the snapshot.
func (s Snapshot) Index() *todo.Index { return todo.NewIndex(s.Todos) }

// Resolve finds a todo by what a person types. A file that cannot be read says so, and is not missing.
func (s Snapshot) Resolve(x *todo.Index, word string) (todo.Todo, error) {
	t, err := x.Resolve(word)
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

// Body is the text below a todo's front matter, when the snapshot was loaded with bodies.
func (s Snapshot) Body(t todo.Todo) string {
	if at := s.places[t.Ref()]; at.file == t.File {
		return s.bodies[at]
	}
	return s.bodies[place{t.Source, t.File}]
}

// Load reads every todo of the session. Readers need no lock: each file is whole, old or new.
func (s *Session) Load() (Snapshot, error) { return s.load(nil, false) }

// LoadBodies is Load that keeps the bodies, for search.
func (s *Session) LoadBodies() (Snapshot, error) { return s.load(nil, true) }

// Reload is Load for who keeps a snapshot: it reads only the files that are not as an earlier one
// of Reload, or an empty one, saw them. Its todos have no history, which no list shows.
func (s *Session) Reload(before Snapshot) (Snapshot, error) { return s.load(&before, false) }

// Look is a snapshot that only says which files there are and when they changed, for Same.
func (s *Session) Look() (Snapshot, error) { return s.load(&Snapshot{looked: true}, false) }

func (s *Session) load(before *Snapshot, bodies bool) (Snapshot, error) {
	snap := Snapshot{full: bodies}
	if before == nil {
		snap.names, snap.bodies, snap.places = map[string][]string{}, map[place]string{}, map[todo.Ref]place{}
	}
	if before != nil && !before.looked {
		snap.seen = make(map[place]seenFile, len(before.seen))
	}
	snap.looked = before != nil && before.looked
	dirs, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return snap, s.gone(err)
	}
	for _, d := range dirs {
		switch {
		case strings.HasPrefix(d.Name(), "."):
		case d.Type()&fs.ModeSymlink != 0:
			snap.damage(Damage{File: printable(d.Name()), Rule: todo.RuleSymlink, Reason: "a symbolic link is not followed"})
		case d.IsDir():
			if err := s.loadSource(&snap, before, d.Name()); err != nil {
				return snap, s.gone(err)
			}
		}
	}
	for i := range snap.Damaged {
		snap.Damaged[i].Session = s.Name()
	}
	snap.sort()
	slices.SortFunc(snap.Damaged, func(a, b Damage) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.File, b.File))
	})
	return snap, nil
}

// sort puts what was read into Todos, in list order. What was seen then points there, so that each is held once.
func (s *Snapshot) sort() {
	slices.SortFunc(s.read, todo.Compare)
	s.Todos = make([]todo.Todo, len(s.read))
	for i := range s.Todos {
		t := &s.Todos[i]
		*t = *s.read[i]
		at := place{t.Source, t.File}
		if seen, ok := s.seen[at]; ok && seen.todo != nil {
			seen.todo = t
			s.seen[at] = seen
		}
	}
	s.read = nil
}

// gone tells a removed session from other trouble.
func (s *Session) gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("session %s: %w", s.Rel, ErrGone)
	}
	return fmt.Errorf("session %s: %w", s.Rel, err)
}

func (s *Session) loadSource(snap *Snapshot, before *Snapshot, dir string) error {
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
	var names []string
	infos := make([]fs.FileInfo, 0, len(entries))
	for _, f := range entries {
		switch {
		case !todo.IsTodoFile(f.Name()):
		case printable(f.Name()) != f.Name():
			snap.damage(Damage{Source: dir, File: printable(f.Name()), Rule: todo.RuleName,
				Reason: "the file's name holds characters that cannot be shown"})
		default:
			info, _ := f.Info() // one that vanished meanwhile has none
			names, infos = append(names, f.Name()), append(infos, info)
		}
	}
	snap.Sources = append(snap.Sources, dir)
	if snap.names != nil {
		snap.names[dir] = names
	}
	session := s.Name()
	for i, name := range names {
		at := place{dir, name}
		var l loaded
		var raw []byte
		switch {
		case before == nil:
			l, raw = loadFile(root, dir, name, infos[i])
		case snap.looked:
			snap.saw(at, statOf(infos[i]))
		default:
			seen, fresh := readIf(root, dir, name, infos[i], before.seen[at])
			if fresh {
				snap.fresh++
			}
			if !before.whole && seen.todo != nil && seen.todo.History != nil {
				seen.todo.History = nil
			}
			snap.seen[at], l = seen, seen.loaded
			snap.saw(at, seen.Stat)
		}
		switch {
		case l.damage != nil:
			snap.Damaged = append(snap.Damaged, *l.damage)
		case l.todo != nil:
			if l.todo.Session == "" { // else it is of the snapshot before, which others read
				l.todo.Session = session
			}
			snap.read = append(snap.read, l.todo)
			snap.placed(l.todo.Ref(), at)
			if snap.full {
				doc, _ := split(string(raw))
				snap.bodies[at] = doc.body
			}
		}
	}
	return nil
}

// damage notes what cannot be read because of its name or kind.
func (s *Snapshot) damage(d Damage) {
	s.Damaged = append(s.Damaged, d)
	s.saw(place{d.Source, d.File}, files.Stat{})
}

var seed = maphash.MakeSeed()

// saw enters a file into the sum, in whatever order the files come.
func (s *Snapshot) saw(at place, now files.Stat) {
	s.sum ^= maphash.Comparable(seed, struct {
		place
		files.Stat
	}{at, now})
}

// statOf is a file's state; one that vanished meanwhile has none.
func statOf(info fs.FileInfo) files.Stat {
	if info == nil {
		return files.Stat{}
	}
	return files.StatOf(info)
}

// printable marks what cannot be shown of a name.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return '·'
	}, name)
}

// placed notes where the file of a todo lies.
func (s *Snapshot) placed(r todo.Ref, at place) {
	if s.places == nil {
		return
	}
	if _, taken := s.places[r]; taken {
		s.places[r] = place{} // the id of several files is no file's
	} else {
		s.places[r] = at
	}
}

// loadFile reads a file as a todo; info is what a look at it found just now, or nil.
func loadFile(root *os.Root, dir, name string, info fs.FileInfo) (loaded, []byte) {
	c, err := readFile(root, name, maxTodoBytes, info)
	if errors.Is(err, fs.ErrNotExist) {
		return loaded{}, nil
	}
	var t todo.Todo
	if err == nil {
		t, err = Parse(c.raw, dir, name)
	}
	if err != nil {
		d := asDamage(err)
		d.Source, d.File = dir, name
		return loaded{damage: d}, nil
	}
	return loaded{todo: &t}, c.raw
}

func asDamage(err error) *Damage {
	var d *Damage
	if errors.As(err, &d) {
		copied := *d
		return &copied
	}
	return damaged(todo.RuleUnreadable, "%s", err.Error())
}

// Same reports whether two snapshots of one session, of Reload or Look, saw the same files in the
// same state.
func (s Snapshot) Same(t Snapshot) bool {
	return slices.Equal(s.Sources, t.Sources) && s.sum == t.sum
}

// maxTodoBytes bounds what is read of one todo file.
const maxTodoBytes = 1 << 20

// content is a file as it was read, and what the file system said of it then.
type content struct {
	raw  []byte
	info fs.FileInfo
}

// readFile reads a regular file of a directory, once and whole. It follows no link, waits
// for no pipe, and notices a file that is replaced or written since before, a look at it or nil.
func readFile(dir *os.Root, name string, limit int64, before fs.FileInfo) (content, error) {
	for range 3 {
		if before == nil {
			var err error
			if before, err = dir.Lstat(name); err != nil {
				return content{}, unreadable(err)
			}
		}
		c, err := readOnce(dir, name, limit, before)
		var d *Damage
		if !errors.As(err, &d) || d.Rule != todo.RuleChanging {
			return c, err
		}
		before = nil
	}
	return content{}, damaged(todo.RuleChanging, "the file changes while it is read")
}

func readOnce(dir *os.Root, name string, limit int64, before fs.FileInfo) (content, error) {
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

// same reports whether two looks saw one file in one state.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func unreadable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return damaged(todo.RuleUnreadable, "the file cannot be read: %s", plain(err).Error())
}

// plain is an error of the file system without the call and the path, which the message around it names.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
