package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"vise/store/files"
)

// Journal is the directory of a home's copy. Whoever appends holds the ledger's lock.
type Journal struct {
	Dir  string
	Home string // the id of the home, which is the first thing in each file
	// Machine is where the files lie; nil is the real one.
	Machine *files.Machine
}

// A file is closed, and the next one begun, when it is this long or this old.
const (
	closeSize = 8 << 20
	closeAge  = 30 * 24 * time.Hour
)

const liveName = "live.vj"

const journalFileMode fs.FileMode = 0o600

// End is where a journal ends.
type End struct {
	// Last is the newest frame, or just the revision that the file begins after.
	Last Frame
	// Torn: what follows the last whole frame is a part of one, left by a cut.
	Torn bool

	size  int64 // of the file up to the last whole frame
	begun time.Time
}

// End finds the newest frame. It is zero where nothing was written yet.
func (j *Journal) End() (End, error) {
	f, err := j.open(os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return j.closedEnd()
	}
	if err != nil {
		return End{}, err
	}
	defer f.Close()
	return j.endOf(f)
}

// closedEnd is the end of the newest closed file.
func (j *Journal) closedEnd() (End, error) {
	all, err := j.Files()
	if err != nil || len(all) == 0 {
		return End{}, err
	}
	return End{Last: Frame{Revision: all[len(all)-1].Last}}, nil
}

func (j *Journal) open(flag int) (*files.File, error) {
	return j.Machine.OpenFile(j.path(liveName), flag|files.NoFollow, journalFileMode)
}

func (j *Journal) path(name string) string { return filepath.Join(j.Dir, name) }

func (j *Journal) endOf(f *files.File) (End, error) {
	info, err := f.Stat()
	if err != nil {
		return End{}, err
	}
	h, err := readHeader(bufio.NewReaderSize(f, maxHeader))
	if err != nil {
		return End{Torn: true}, nil // a file whose first line was cut has no frame either
	}
	if h.home != j.Home {
		return End{}, fmt.Errorf("journal %s: it belongs to another home", f.Name())
	}
	end := End{Last: Frame{Revision: h.after}, size: h.size, begun: h.begun}
	if info.Size() == h.size {
		return end, nil
	}
	if last, err := lastFrame(f, h.size, info.Size()); err == nil {
		end.Last, end.size = last, info.Size()
		return end, nil
	}
	return end, end.search(f)
}

// lastFrame reads the frame that ends at end.
func lastFrame(f io.ReaderAt, begin, end int64) (Frame, error) {
	var tail [tailSize]byte
	if _, err := f.ReadAt(tail[:], end-tailSize); err != nil {
		return Frame{}, err
	}
	size := int64(binary.BigEndian.Uint32(tail[4:]))
	start := end - tailSize - size - headSize
	if start < begin || binary.BigEndian.Uint32(tail[16:]) != tailMark {
		return Frame{}, errTorn
	}
	frame, _, err := next(io.NewSectionReader(f, start, end-start))
	return frame, err
}

// search reads from the beginning for the last whole frame.
func (e *End) search(f *files.File) error {
	if _, err := f.Seek(e.size, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		frame, n, err := next(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			e.Torn = true
			return nil
		}
		e.Last, e.size = frame, e.size+n
	}
}

// Append writes frames, as Append made them, behind an end that was found under the same
// lock. What was torn there is cut off: the frames begin with what it was a part of.
func (j *Journal) Append(end End, frames []byte) error {
	if end.size == 0 || end.size > closeSize || j.Machine.Now().Sub(end.begun) > closeAge {
		var err error
		if end, err = j.turn(end); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	f, err := j.open(os.O_RDWR)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if end.Torn {
		err = f.Truncate(end.size)
	}
	if err == nil {
		_, err = f.WriteAt(frames, end.size)
	}
	return errors.Join(err, f.Close())
}

// turn closes the file, if there is one, and begins the next.
func (j *Journal) turn(end End) (End, error) {
	if end.size > 0 {
		if err := j.closeLive(end); err != nil {
			return end, err
		}
	}
	if err := j.Machine.Mkdir(j.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return end, err
	}
	begun := j.Machine.Now().UTC()
	line := header{home: j.Home, after: end.Last.Revision, begun: begun}.String()
	draft := j.path(liveName + ".new")
	f, err := j.Machine.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|files.NoFollow, journalFileMode)
	if err != nil {
		return end, err
	}
	_, err = f.Write([]byte(line))
	if err = errors.Join(err, f.Close()); err == nil {
		err = j.Machine.Rename(draft, j.path(liveName))
	}
	return End{Last: end.Last, size: int64(len(line)), begun: begun}, err
}

// closeLive gives the file the name that tells what is in it.
func (j *Journal) closeLive(end End) error {
	f, err := j.open(os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	h, err := readHeader(bufio.NewReaderSize(f, maxHeader))
	if err != nil {
		return err
	}
	if end.Torn {
		if err := f.Truncate(end.size); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return j.Machine.Rename(j.path(liveName), j.path(closedName(h.after+1, end.Last.Revision)))
}

// Sync puts what was appended on the disk.
func (j *Journal) Sync() error {
	f, err := j.open(os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close(), j.Machine.SyncDir(j.Dir))
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
	return fmt.Sprintf("vise journal 1 home %s after %d begun %s\n", h.home, h.after, h.begun.Format(time.RFC3339))
}

func readHeader(r *bufio.Reader) (header, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return header{}, errTorn
	}
	// Six words and three values: to scan them by a format takes a process longer than the rest.
	w := strings.Fields(string(line))
	if len(w) != 9 || w[0] != "vise" || w[1] != "journal" || w[2] != "1" || w[3] != "home" || w[5] != "after" || w[7] != "begun" {
		return header{}, errTorn
	}
	h := header{home: w[4]}
	if h.after, err = strconv.ParseUint(w[6], 10, 64); err != nil {
		return header{}, errTorn
	}
	h.size = int64(len(line))
	h.begun, err = time.Parse(time.RFC3339, w[8])
	return h, err
}
