// Package journal keeps the second copy of a ledger's history in files of its own, with the same bytes, so that a lost or damaged ledger
// can be rebuilt. Each change is one frame with a checksum at both ends (change.go), in the live file or in a closed one, which is
// compressed later (compress.go). What is damaged costs only itself: all other changes are still found.
//
// A change is written to the copy after its commit, under the ledger's lock, without a sync. The ledger is the truth; the copy catches up
// by revision when it lacks changes. It is synced whenever home.json is, and with each snapshot. So the copy is never ahead of the ledger,
// and a ledger that ends before its copy has lost changes.
package journal

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/store/files"
	"vise/store/kv"
)

// Copy is the copy of a ledger's history in a directory.
type Copy struct {
	Dir     string
	Home    string // the id of the home, which each file names first
	Machine *files.Machine
}

// A file is closed, and the next one begun, at this size or this age.
const (
	FileSize = 8 << 20
	closeAge = 30 * 24 * time.Hour
	maxFile  = FileSize + 2*maxChange // in bytes; a file is closed long before
)

const (
	liveName     = "live.vj"
	closedSuffix = ".vj"
)

// End is the end of the copy.
type End struct {
	// Last is the newest change, or only the revision before the file's first change.
	Last Change
	// torn means that an incomplete change follows the last complete one, after a crash.
	torn bool

	size int64 // of the live file up to its last complete change
	head header
}

// header is the first line of a file.
type header struct {
	home  string
	after uint64 // the revision before the file's first
	begun time.Time
	size  int64
}

const maxHeader = 512

func (h header) String() string {
	return fmt.Sprintf("vise journal 2 home %s after %d begun %s\n", h.home, h.after, h.begun.Format(time.RFC3339))
}

func parseHeader(b []byte) (h header, err error) {
	var begun string
	_, _ = fmt.Sscanf(string(b[:min(len(b), maxHeader)]), "vise journal 2 home %s after %d begun %s", &h.home, &h.after, &begun)
	h.begun, _ = time.Parse(time.RFC3339, begun)
	line := []byte(h.String())
	if h.size = int64(len(line)); !bytes.HasPrefix(b, line) { // also if something could not be read
		err = errTorn
	}
	return h, err
}

func headerOf(path string) (header, error) {
	f, err := files.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return header{}, err
	}
	defer f.Close()
	first := make([]byte, maxHeader)
	n, _ := f.ReadAt(first, 0)
	return parseHeader(first[:n])
}

func (j *Copy) path(name string) string { return filepath.Join(j.Dir, name) }

func (j *Copy) open(flag int) (*files.File, error) {
	return j.Machine.OpenFile(j.path(liveName), flag)
}

// End finds the newest change. It returns the zero value if nothing was written yet.
func (j *Copy) End() (End, error) {
	f, err := j.open(os.O_RDONLY)
	if files.IsGone(err) {
		all, err := j.Files()
		if err != nil || len(all) == 0 {
			return End{}, err
		}
		return End{Last: Change{Revision: all[len(all)-1].Last}}, nil
	}
	if err != nil {
		return End{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return End{}, err
	}
	first := make([]byte, min(maxHeader, info.Size()))
	if _, err := f.ReadAt(first, 0); err != nil {
		return End{}, err
	}
	h, err := parseHeader(first)
	if err != nil {
		return End{torn: true}, nil // a file with an incomplete first line has no change either
	}
	if h.home != j.Home {
		return End{}, fmt.Errorf("journal %s: it belongs to another home", f.Name())
	}
	e := End{Last: Change{Revision: h.after}, size: h.size, head: h}
	if info.Size() == h.size {
		return e, nil
	}
	if last, err := lastChange(f, h.size, info.Size()); err == nil {
		e.Last, e.size = last, info.Size()
		return e, nil
	}
	return e, e.search(f, info.Size())
}

// lastChange reads the change at the end of the file.
func lastChange(f io.ReaderAt, begin, end int64) (Change, error) {
	var tail [tailSize]byte
	if _, err := f.ReadAt(tail[:], end-tailSize); err != nil {
		return Change{}, err
	}
	start := end - tailSize - int64(binary.BigEndian.Uint32(tail[4:])) - headSize
	if start < begin || end-start > maxChange+headSize+tailSize || binary.BigEndian.Uint32(tail[16:]) != tailMark {
		return Change{}, errTorn
	}
	raw := make([]byte, end-start)
	if _, err := f.ReadAt(raw, start); err != nil {
		return Change{}, err
	}
	c, _, err := parseChange(raw)
	return c, err
}

// search reads from the beginning, and finds the last complete change before any incomplete
// one.
func (e *End) search(f io.ReaderAt, size int64) error {
	if size > maxFile {
		return &files.Irregular{Path: liveName, Why: fmt.Sprintf("has more than %d bytes", maxFile)}
	}
	raw := make([]byte, size-e.size)
	if _, err := f.ReadAt(raw, e.size); err != nil {
		return err
	}
	begin := e.size
	for at := 0; at < len(raw); {
		c, n, err := parseChange(raw[at:])
		if err != nil {
			e.torn = true
			break
		}
		at += n
		e.Last, e.size = c, begin+int64(at)
	}
	return nil
}

// Append writes changes, encoded by AppendChange, at an end that was found under the same
// lock. It cuts off an incomplete change there; changes has the complete one first.
func (j *Copy) Append(end End, changes []byte) error {
	if end.size == 0 || end.size > FileSize || j.Machine.Now().Sub(end.head.begun) > closeAge {
		var err error
		if end, err = j.begin(end); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	f, err := j.open(os.O_RDWR)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if end.torn {
		err = f.Truncate(end.size)
	}
	if err == nil {
		_, err = f.WriteAt(changes, end.size)
	}
	return errors.Join(err, f.Close())
}

// begin closes the live file, if there is one, and starts the next.
func (j *Copy) begin(end End) (End, error) {
	if end.size > 0 {
		if err := j.close(end); err != nil {
			return end, err
		}
	}
	h := header{home: j.Home, after: end.Last.Revision, begun: j.Machine.Now().UTC()}
	h.size = int64(len(h.String()))
	_, err := j.Write(h.after, 0, true, nil)
	return End{Last: end.Last, size: h.size, head: h}, err
}

// close renames the live file to a name with its revisions.
func (j *Copy) close(end End) error {
	f, err := j.open(os.O_RDWR)
	if err != nil {
		return err
	}
	if end.torn {
		err = f.Truncate(end.size)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return j.Machine.Rename(j.path(liveName), j.path(closedName(end.head.after+1, end.Last.Revision)))
}

// Write writes a whole file with the changes after a revision up to another one: the live file, or a closed one. It returns its path.
func (j *Copy) Write(after, last uint64, live bool, changes []byte) (path string, err error) {
	path = j.path(liveName)
	if !live {
		path = j.path(closedName(after+1, last))
	}
	h := header{home: j.Home, after: after, begun: j.Machine.Now().UTC()}
	return path, cmp.Or(j.Machine.Mkdir(j.Dir), j.Machine.WriteFile(path, append([]byte(h.String()), changes...)))
}

func closedName(first, last uint64) string {
	return fmt.Sprintf("%012d-%012d%s", first, last, closedSuffix)
}

// Sync writes what was appended to the disk.
func (j *Copy) Sync() error {
	f, err := j.open(os.O_RDWR)
	if files.IsGone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	err = errors.Join(f.Sync(), f.Close(), j.Machine.SyncDir(j.Dir))
	if err != nil {
		_ = os.Remove(j.path(markFile)) // what the system was given may be lost
	}
	return err
}

// File is one file of the copy.
type File struct {
	Path string
	// First and last are its revisions, from its name. First of the live file is from its header, 1 if that cannot be read; Last is zero.
	First, Last uint64
	Live        bool
}

// Files lists the files of the copy, oldest first.
func (j *Copy) Files() ([]File, error) {
	entries, err := files.ReadDir(j.Dir)
	if files.IsGone(err) {
		return nil, nil
	}
	var out []File
	for _, e := range entries {
		f := File{Path: j.path(e.Name())}
		base, end, _ := strings.Cut(e.Name(), ".")
		known := "."+end == closedSuffix || "."+end == compressedSuffix
		if n, _ := fmt.Sscanf(base, "%d-%d", &f.First, &f.Last); n == 2 && known {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b File) int { return int(int64(a.First) - int64(b.First)) })
	live := File{Path: j.path(liveName), First: 1, Live: true}
	h, unread := headerOf(live.Path)
	if unread == nil {
		live.First = h.after + 1
	}
	if !files.IsGone(unread) {
		out = append(out, live)
	}
	return out, err
}

// ErrEnough is for a visit that needs no more changes. Read returns it, as it does any other error.
var ErrEnough = errors.New("enough")

// Read calls visit with each change after a revision, oldest first. It leaves out damaged
// changes and returns the paths of their files; the visited changes may then have a gap.
func (j *Copy) Read(after uint64, visit func(Change) error) (damaged []string, err error) {
	all, err := j.Files()
	if err != nil {
		return nil, err
	}
	// A file and its archive may both exist, if archiving was interrupted.
	onward := func(c Change) error {
		if c.Revision <= after {
			return nil
		}
		after = c.Revision
		return visit(c)
	}
	for _, f := range all {
		if !f.Live && f.Last <= after {
			continue
		}
		_, raw, whole, err := j.ReadFile(f)
		if err != nil && !errors.As(err, new(*kv.Refusal)) {
			return damaged, err
		}
		intact, err := EachChange(raw, onward)
		if err != nil {
			return damaged, err
		}
		if whole && intact {
			continue
		}
		// An incomplete change at the end of the live file, after a crash, is not damage.
		if end, err := j.End(); err != nil || !f.Live || !end.torn || end.Last.Revision != after {
			damaged = append(damaged, f.Path)
		}
	}
	return damaged, nil
}

// SetAside moves all files to a directory where they are no longer read as the journal's. What is written next was not checked.
func (j *Copy) SetAside(to string) error {
	all, err := j.Files()
	if err != nil || len(all) == 0 {
		return err
	}
	if err := cmp.Or(j.Machine.Mkdir(filepath.Dir(to)), j.Machine.Mkdir(to)); err != nil {
		return err
	}
	for _, f := range all {
		if err := j.Machine.Rename(f.Path, filepath.Join(to, filepath.Base(f.Path))); err != nil {
			return err
		}
	}
	if err := j.Machine.Remove(j.path(markFile)); err != nil && !files.IsGone(err) {
		return err
	}
	return j.Machine.SyncDir(j.Dir)
}

// HomeID is the id of the home in the newest readable file, or empty.
func (j *Copy) HomeID() string {
	all, _ := j.Files()
	for _, f := range slices.Backward(all) {
		if h, err := headerOf(f.Path); err == nil {
			return h.home
		}
	}
	return ""
}

const (
	markFile = "checked"
	maxMark  = 200
	// markWhole follows the start of the machine if closed files were compared too.
	markWhole = " whole"
)

// The copy is written without a sync, so a power cut can leave a hole anywhere in the part that was not synced. The mark file therefore
// names the start of the machine during which the copy was compared with the ledger. A failed sync may lose something, and deletes the
// mark.

// Checked reports whether the copy was compared since this start of the machine, and whether its closed files were too.
func (j *Copy) Checked() (live, all bool) {
	raw, err := files.ReadSmall(j.path(markFile), maxMark)
	if err != nil {
		return false, false
	}
	start, all := strings.CutSuffix(strings.TrimSpace(string(raw)), markWhole)
	live = start == j.Machine.Started()
	return live, live && all
}

// Mark notes that the copy was compared with the ledger: its live file, or all its files.
func (j *Copy) Mark(all bool) {
	said := j.Machine.Started()
	if all {
		said += markWhole
	}
	_ = j.Machine.WriteFile(j.path(markFile), []byte(said+"\n")) // if this fails, the next process compares again
}

// ClosedTo is the last revision in closed files, from their names.
func (j *Copy) ClosedTo() (last uint64) {
	all, _ := j.Files()
	for _, f := range all {
		last = max(last, f.Last)
	}
	return last
}

// Holes lists the revisions up to last that no file of the copy has. It reads only the names of the files, and the beginning and end of the
// live file.
func (j *Copy) Holes(last uint64) (out []string) {
	all, err := j.Files()
	if err != nil {
		return []string{err.Error()}
	}
	has := uint64(0)
	missing := func(to uint64) {
		if to > has {
			out = append(out, Span(has+1, to))
		}
	}
	for _, f := range all {
		if f.Live {
			end, err := j.End()
			if err != nil {
				return append(out, err.Error())
			}
			f.Last = end.Last.Revision
		}
		missing(f.First - 1)
		has = max(has, f.Last)
	}
	missing(last)
	return out
}

func Span(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("revision %d", first)
	}
	return fmt.Sprintf("revisions %d to %d", first, last)
}
