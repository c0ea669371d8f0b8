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

// maxLog bounds the logs that are examined and mended, in bytes. A longer log stays as it is.
const maxLog = 64 << 20

// TornLogs returns a finding for each log that holds lines that are no events.
func (s *Snapshot) TornLogs() ([]thread.Finding, error) {
	ids, err := s.named(logSuffix) // includes threads without a file
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

// readLog reads a log. A log that is not a plain file, or is too long, reads as empty.
func readLog(dir *os.Root, id thread.ID) ([]byte, error) {
	f, err := files.OpenPlain(dir, logFile(id), os.O_RDONLY)
	if err != nil {
		return nil, files.UnlessGone(err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxLog+1))
	if len(raw) > maxLog {
		return nil, err
	}
	return raw, err
}

// sift separates a log's events from the other lines, whose numbers count from 1. A writer can be in the middle of the last line: without a
// line break it is torn only if it is no event.
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

// MendLog keeps a copy of the log beside it and replaces the log with its events alone, under the lock.
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

// freeName returns a free name for a copy of a file: the file's name, as, and a number if that name is taken.
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
