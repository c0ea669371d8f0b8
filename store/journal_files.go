package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vise/store/files"
	"vise/store/kv"
)

// journalCopy keeps a second copy of the ledger's journal in files of its own, with the
// same bytes, so that a lost or damaged ledger can be rebuilt.
//
// A change is written to the copy after its commit, under the ledger's lock, without a
// sync. The ledger is the truth; the copy catches up by revision when it lacks changes. It
// is synced whenever home.json is, and with each snapshot. So the copy is never ahead of
// the ledger, and a ledger that ends before its copy has lost changes.
type journalCopy struct {
	dir     string
	home    string // the id of the home, which each file names first
	machine *files.Machine
}

// A file is closed, and the next one begun, at this size or this age.
const (
	closeSize = 8 << 20
	closeAge  = 30 * 24 * time.Hour
	maxFile   = closeSize + 2*maxChange // in bytes; a file is closed long before
)

const (
	liveName     = "live.vj"
	closedSuffix = ".vj"
)

// copyEnd is the end of the copy.
type copyEnd struct {
	// last is the newest change, or only the revision before the file's first change.
	last copiedChange
	// torn means that an incomplete change follows the last complete one, after a crash.
	torn bool

	size int64 // of the live file up to its last complete change
	head copyHeader
}

// copyHeader is the first line of a file.
type copyHeader struct {
	home  string
	after uint64 // the revision before the file's first
	begun time.Time
	size  int64
}

const maxHeader = 512

func (h copyHeader) String() string {
	return fmt.Sprintf("vise journal 2 home %s after %d begun %s\n", h.home, h.after, h.begun.Format(time.RFC3339))
}

func parseHeader(b []byte) (h copyHeader, err error) {
	line, _, found := bytes.Cut(b[:min(len(b), maxHeader)], []byte("\n"))
	w := strings.Fields(string(line)) // fmt.Sscanf takes a process longer than everything else here
	if !found || len(w) != 9 || strings.Join([]string{w[0], w[1], w[2], w[3], w[5], w[7]}, " ") != "vise journal 2 home after begun" {
		return h, errTorn
	}
	h = copyHeader{home: w[4], size: int64(len(line) + 1)}
	if h.after, err = strconv.ParseUint(w[6], 10, 64); err != nil {
		return h, errTorn
	}
	h.begun, err = time.Parse(time.RFC3339, w[8])
	return h, err
}

func (j *journalCopy) path(name string) string { return filepath.Join(j.dir, name) }

func (j *journalCopy) open(flag int) (*files.File, error) {
	return j.machine.OpenFile(j.path(liveName), flag)
}

// end finds the newest change. It returns the zero value if nothing was written yet.
func (j *journalCopy) end() (copyEnd, error) {
	f, err := j.open(os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		all, err := j.files()
		if err != nil || len(all) == 0 {
			return copyEnd{}, err
		}
		return copyEnd{last: copiedChange{revision: all[len(all)-1].last}}, nil
	}
	if err != nil {
		return copyEnd{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return copyEnd{}, err
	}
	first := make([]byte, min(maxHeader, info.Size()))
	if _, err := f.ReadAt(first, 0); err != nil {
		return copyEnd{}, err
	}
	h, err := parseHeader(first)
	if err != nil {
		return copyEnd{torn: true}, nil // a file with an incomplete first line has no change either
	}
	if h.home != j.home {
		return copyEnd{}, fmt.Errorf("journal %s: it belongs to another home", f.Name())
	}
	e := copyEnd{last: copiedChange{revision: h.after}, size: h.size, head: h}
	if info.Size() == h.size {
		return e, nil
	}
	if last, err := lastChange(f, h.size, info.Size()); err == nil {
		e.last, e.size = last, info.Size()
		return e, nil
	}
	return e, e.search(f, info.Size())
}

// lastChange reads the change at the end of the file.
func lastChange(f io.ReaderAt, begin, end int64) (copiedChange, error) {
	var tail [tailSize]byte
	if _, err := f.ReadAt(tail[:], end-tailSize); err != nil {
		return copiedChange{}, err
	}
	start := end - tailSize - int64(binary.BigEndian.Uint32(tail[4:])) - headSize
	if start < begin || end-start > maxChange+headSize+tailSize || binary.BigEndian.Uint32(tail[16:]) != tailMark {
		return copiedChange{}, errTorn
	}
	raw := make([]byte, end-start)
	if _, err := f.ReadAt(raw, start); err != nil {
		return copiedChange{}, err
	}
	c, _, err := parseChange(raw)
	return c, err
}

// search reads from the beginning, and finds the last complete change before any incomplete
// one.
func (e *copyEnd) search(f io.ReaderAt, size int64) error {
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
		e.last, e.size = c, begin+int64(at)
	}
	return nil
}

// append writes changes, encoded by appendChange, at an end that was found under the same
// lock. It cuts off an incomplete change there; changes has the complete one first.
func (j *journalCopy) append(end copyEnd, changes []byte) error {
	if end.size == 0 || end.size > closeSize || j.machine.Now().Sub(end.head.begun) > closeAge {
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
func (j *journalCopy) begin(end copyEnd) (copyEnd, error) {
	if end.size > 0 {
		if err := j.close(end); err != nil {
			return end, err
		}
	}
	if err := j.machine.Mkdir(j.dir); err != nil {
		return end, err
	}
	h := copyHeader{home: j.home, after: end.last.revision, begun: j.machine.Now().UTC()}
	line := h.String()
	err := j.machine.WriteFile(j.path(liveName), []byte(line))
	return copyEnd{last: end.last, size: int64(len(line)), head: h}, err
}

// close renames the live file to a name with its revisions.
func (j *journalCopy) close(end copyEnd) error {
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
	name := fmt.Sprintf("%012d-%012d%s", end.head.after+1, end.last.revision, closedSuffix)
	return j.machine.Rename(j.path(liveName), j.path(name))
}

// sync writes what was appended to the disk.
func (j *journalCopy) sync() error {
	f, err := j.open(os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = errors.Join(f.Sync(), f.Close(), j.machine.SyncDir(j.dir))
	if err != nil {
		_ = os.Remove(j.path(markFile)) // what the system was given may be lost
	}
	return err
}

// copyFile is one file of the copy.
type copyFile struct {
	path string
	// first and last are its revisions, from its name; zero for the live file.
	first, last uint64
	live        bool
}

// files lists the files of the copy, oldest first.
func (j *journalCopy) files() ([]copyFile, error) {
	entries, err := files.ReadDir(j.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []copyFile
	for _, e := range entries {
		f := copyFile{path: j.path(e.Name())}
		base, end, _ := strings.Cut(e.Name(), ".")
		known := "."+end == closedSuffix || "."+end == archiveSuffix
		if n, _ := fmt.Sscanf(base, "%d-%d", &f.first, &f.last); n == 2 && known {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b copyFile) int { return int(int64(a.first) - int64(b.first)) })
	if _, err := os.Lstat(j.path(liveName)); err == nil {
		out = append(out, copyFile{path: j.path(liveName), live: true})
	}
	return out, err
}

// read calls visit with each change after a revision, oldest first. It leaves out damaged
// changes and returns the paths of their files; the visited changes may then have a gap.
func (j *journalCopy) read(after uint64, visit func(copiedChange) error) (damaged []string, err error) {
	all, err := j.files()
	if err != nil {
		return nil, err
	}
	// A file and its archive may both exist, if archiving was interrupted.
	onward := func(c copiedChange) error {
		if c.revision <= after {
			return nil
		}
		after = c.revision
		return visit(c)
	}
	for _, f := range all {
		if !f.live && f.last <= after {
			continue
		}
		_, raw, whole, err := j.readFile(f)
		if err != nil && !errors.As(err, new(*kv.Refusal)) {
			return damaged, err
		}
		intact, err := eachChange(raw, onward)
		if err != nil {
			return damaged, err
		}
		if whole && intact {
			continue
		}
		// An incomplete change at the end of the live file, after a crash, is not damage.
		if end, err := j.end(); err != nil || !f.live || !end.torn || end.last.revision != after {
			damaged = append(damaged, f.path)
		}
	}
	return damaged, nil
}

// setAside moves all files to a directory where they are no longer read as the journal's. What is written next was not checked.
func (j *journalCopy) setAside(to string) error {
	all, err := j.files()
	if err != nil || len(all) == 0 {
		return err
	}
	if err := cmp.Or(j.machine.Mkdir(filepath.Dir(to)), j.machine.Mkdir(to)); err != nil {
		return err
	}
	for _, f := range all {
		if err := j.machine.Rename(f.path, filepath.Join(to, filepath.Base(f.path))); err != nil {
			return err
		}
	}
	if err := j.machine.Remove(j.path(markFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return j.machine.SyncDir(j.dir)
}
