package threads

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"vise/model/thread"
	"vise/store/files"
)

// maxLog bounds the logs that are examined and mended, in bytes; a longer one is left alone.
const maxLog = 64 << 20

// TornLogs are the findings about logs that hold lines which are no events.
func (s *Snapshot) TornLogs() ([]thread.Finding, error) {
	ids, err := s.named(logSuffix) // of a thread without a file too
	if err != nil {
		return nil, err
	}
	var out []thread.Finding
	for _, id := range ids {
		raw, err := readLog(s.dir, id)
		if err != nil {
			return nil, s.repo.explain("read the log of "+string(id), err)
		}
		if _, torn := sift(raw); len(torn) > 0 {
			out = append(out, thread.TornLog(id, torn))
		}
	}
	return out, nil
}

// readLog reads a log; one that is not a plain file, or too long, reads as empty.
func readLog(dir *os.Root, id thread.ID) ([]byte, error) {
	f, err := files.OpenPlain(dir, logFile(id), os.O_RDONLY)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxLog+1))
	if len(raw) > maxLog {
		return nil, err
	}
	return raw, err
}

// sift parts a log's events from the lines that are none, counted from 1. A writer may be
// in the middle of the last line: without a line break it is torn only if it is no event.
func sift(raw []byte) (whole []byte, torn []int) {
	r := bufio.NewReader(bytes.NewReader(raw))
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if thread.IsEvent(text) {
				whole = append(append(whole, text...), '\n')
			} else {
				torn = append(torn, n)
			}
		}
		if err != nil {
			return whole, torn
		}
	}
}

// MendLog keeps a log as it is beside it, and writes its events alone in its place, under
// the lock.
func (r Repo) MendLog(ctx context.Context, id thread.ID) error {
	return r.locked(ctx, func(dir *os.Root) error { return r.mendLog(dir, id) })
}

func (r Repo) mendLog(dir *os.Root, id thread.ID) error {
	raw, err := readLog(dir, id)
	if err != nil {
		return r.explain("read the log of "+string(id), err)
	}
	whole, torn := sift(raw)
	if len(torn) == 0 {
		return nil
	}
	to, err := freeName(dir, logFile(id), asideSuffix)
	if err == nil {
		err = writeSynced(dir, to, raw, nil)
	}
	if err == nil {
		err = replace(dir, file{logFile(id), whole}, raw)
	}
	if err != nil {
		return r.explain("mend the log of "+string(id), err)
	}
	return nil
}

// freeName is a name beside a file under which it can be kept: with as behind it, and a
// number where that is taken.
func freeName(dir *os.Root, name, as string) (string, error) {
	to := name + "." + as
	for n := 1; ; n++ {
		if _, err := dir.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, nil
		} else if err != nil {
			return "", err
		}
		to = fmt.Sprintf("%s.%s-%d", name, as, n)
	}
}
