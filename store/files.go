package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vise/store/files"
)

// File is one file of a journal.
type File struct {
	Path string
	// First and Last are its revisions, as its name says; zero for the live one.
	First, Last uint64
	Live        bool
}

const (
	closedSuffix  = ".vj"
	archiveSuffix = ".vj.gz"
)

func closedName(first, last uint64) string {
	return fmt.Sprintf("%012d-%012d%s", first, last, closedSuffix)
}

// Files are the files of the journal, oldest first.
func (j *Journal) Files() ([]File, error) {
	entries, err := os.ReadDir(j.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []File
	for _, e := range entries {
		f := File{Path: j.path(e.Name())}
		base, _, ok := strings.Cut(e.Name(), ".")
		whole := e.Name() == base+closedSuffix || e.Name() == base+archiveSuffix
		if n, _ := fmt.Sscanf(base, "%d-%d", &f.First, &f.Last); ok && whole && n == 2 {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b File) int { return int(int64(a.First) - int64(b.First)) })
	if _, err := os.Lstat(j.path(liveName)); err == nil {
		out = append(out, File{Path: j.path(liveName), Live: true})
	}
	return out, err
}

// Read calls visit with each frame after a revision, oldest first. What is damaged is left
// out, as far as it reaches, and named; the frames visited may then have a gap.
func (j *Journal) Read(after uint64, visit func(Frame) error) (damaged []string, err error) {
	files, err := j.Files()
	if err != nil {
		return nil, err
	}
	// A file and its archive may both be there, when archiving was cut short.
	onward := func(f Frame) error {
		if f.Revision <= after {
			return nil
		}
		after = f.Revision
		return visit(f)
	}
	for _, f := range files {
		if !f.Live && f.Last <= after {
			continue
		}
		whole, err := j.readFile(f, onward)
		if err != nil {
			return damaged, err
		}
		if !whole && !j.tornOnly(f, after) {
			damaged = append(damaged, f.Path)
		}
	}
	return damaged, nil
}

// tornOnly reports whether what does not read of a file is the end of the live one, torn by
// a cut: that is no damage.
func (j *Journal) tornOnly(f File, last uint64) bool {
	end, err := j.End()
	return err == nil && f.Live && end.Torn && end.Last.Revision == last
}

func (j *Journal) readFile(f File, visit func(Frame) error) (whole bool, err error) {
	raw, err := os.OpenFile(f.Path, os.O_RDONLY|files.NoFollow, 0)
	if err != nil {
		return false, err
	}
	defer raw.Close()
	var in io.Reader = raw
	if strings.HasSuffix(f.Path, archiveSuffix) {
		if in, err = gzip.NewReader(raw); err != nil {
			return false, nil
		}
	}
	b, err := io.ReadAll(io.LimitReader(in, maxFile))
	if err != nil && len(b) == 0 {
		return false, nil
	}
	h, headErr := readHeader(bufio.NewReaderSize(bytes.NewReader(b), maxHeader))
	if headErr != nil || j.Home != "" && h.home != j.Home {
		return false, nil
	}
	whole, visitErr := frames(b[h.size:], visit)
	return whole && err == nil, visitErr
}

// maxFile bounds what is read of a file, which is closed long before.
const maxFile = closeSize + 2*maxFrame

// frames visits the frames in b. Behind a damaged one it goes on with the next that is
// whole; then, or when the last is cut, not all of b was.
func frames(b []byte, visit func(Frame) error) (whole bool, err error) {
	whole = true
	for len(b) > 0 {
		f, n, err := next(bytes.NewReader(b))
		if err != nil {
			whole = false
			if n = int64(bytes.Index(b[1:], headMarkBytes)) + 1; n == 0 {
				break
			}
		} else if err := visit(f); err != nil {
			return whole, err
		}
		b = b[n:]
	}
	return whole, nil
}

var headMarkBytes = binary.BigEndian.AppendUint32(nil, headMark)

// HomeID is the home that a journal's files name, if they name one.
func (j *Journal) HomeID() string {
	files, err := j.Files()
	if err != nil {
		return ""
	}
	for _, f := range slices.Backward(files) {
		if raw, err := os.Open(f.Path); err == nil {
			h, err := readHeader(bufio.NewReaderSize(raw, maxHeader))
			raw.Close()
			if err == nil {
				return h.home
			}
		}
	}
	return ""
}

// SetAside moves the live file away under a name that is never read again as the journal's.
func (j *Journal) SetAside(to string) error {
	files, err := j.Files()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return nil
	}
	if err := j.Machine.Mkdir(to, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, f := range files {
		if err := j.Machine.Rename(f.Path, filepath.Join(to, filepath.Base(f.Path))); err != nil {
			return err
		}
	}
	return j.Machine.SyncDir(j.Dir)
}

// Archive compresses the closed files that were not written for an age, and returns how
// many. Nothing is ever deleted before it is in its archive and on the disk.
func (j *Journal) Archive(age time.Duration) (int, error) {
	files, err := j.Files()
	if err != nil {
		return 0, err
	}
	done := 0
	for _, f := range files {
		info, err := os.Lstat(f.Path)
		if err != nil || f.Live || strings.HasSuffix(f.Path, archiveSuffix) || j.Machine.Now().Sub(info.ModTime()) < age {
			continue
		}
		if err := j.compress(f.Path); err != nil {
			return done, fmt.Errorf("archive %s: %w", f.Path, err)
		}
		done++
	}
	return done, nil
}

func (j *Journal) compress(path string) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	draft := path + ".gz.new"
	to, err := j.Machine.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|files.NoFollow, journalFileMode)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(to)
	_, err = io.Copy(z, from)
	err = errors.Join(err, z.Close(), to.Sync(), to.Close())
	if err == nil {
		err = j.Machine.Rename(draft, path+".gz")
	}
	if err == nil {
		err = j.Machine.SyncDir(j.Dir)
	}
	if err != nil {
		return errors.Join(err, j.Machine.Remove(draft))
	}
	return j.Machine.Remove(path)
}
