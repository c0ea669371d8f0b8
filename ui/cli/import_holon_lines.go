package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"vise/model"
)

// maxHolonLine bounds one record. Holon's own records stay far below it.
const maxHolonLine = 16 << 20

// holonRecord is the last snapshot of an id: its fields that nobody has taken yet, where it
// stands, and what is wrong with it first.
type holonRecord struct {
	id     string
	line   int
	fields map[string]json.RawMessage
	err    error
}

func decodeRecord(raw []byte) (*holonRecord, error) {
	rec := &holonRecord{}
	if err := json.Unmarshal(raw, &rec.fields); err != nil {
		return nil, err
	}
	if rec.fields == nil {
		return nil, errors.New("not a JSON object")
	}
	return rec, nil
}

// take reads a field into what out points to and removes it. Absent and null leave out as it is.
func (rec *holonRecord) take(key string, out any) {
	raw, ok := rec.fields[key]
	delete(rec.fields, key)
	if !ok || string(raw) == "null" {
		return
	}
	if err := json.Unmarshal(raw, out); err != nil {
		rec.fail("field %s: %w", key, err)
	}
}

// fail keeps the first error.
func (rec *holonRecord) fail(format string, args ...any) {
	if rec.err == nil {
		rec.err = fmt.Errorf(format, args...)
	}
}

// lines calls visit with each line of a ledger's file that is not blank. A file that is
// not there has none.
func (r *holonReader) lines(file string, visit func(n int, line []byte) error) error {
	name := path.Join(r.home.ledger, file)
	f, err := r.home.root.OpenFile(name, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return r.unreadable(name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return r.unreadable(name, errors.Join(err, errors.New("not a regular file")))
	}
	s := bufio.NewScanner(f)
	s.Buffer(make([]byte, 0, 64<<10), maxHolonLine)
	n := 0
	for s.Scan() {
		n++
		line := bytes.TrimSpace(s.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := visit(n, line); err != nil {
			return r.malformed(name, n, err)
		}
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return r.malformed(name, n+1, fmt.Errorf("longer than %d bytes", maxHolonLine))
	} else if err != nil {
		return r.unreadable(name, err)
	}
	return nil
}

// latest are the last snapshots of a file, in the order in which their ids first appear,
// and the number of snapshots before them.
func (r *holonReader) latest(file string) (records []*holonRecord, superseded int, err error) {
	at := map[string]int{}
	err = r.lines(file, func(n int, line []byte) error {
		rec, err := decodeRecord(line)
		if err != nil {
			return err
		}
		rec.line = n
		if rec.take("id", &rec.id); rec.id == "" {
			rec.fail("no id")
		}
		if rec.err != nil {
			return rec.err
		}
		if i, known := at[rec.id]; known {
			records[i] = rec
			superseded++
			return nil
		}
		at[rec.id] = len(records)
		records = append(records, rec)
		return nil
	})
	return records, superseded, err
}

// malformed says which line is at fault.
func (r *holonReader) malformed(name string, line int, cause error) error {
	return model.Refuse(model.CodeInvalid, "%s, line %d: %v", model.Text(name), line, model.Text(cause.Error())).At("dir").
		WithHint("nothing was imported; repair that line in a copy of the ledger and import the copy")
}

func (r *holonReader) unreadable(name string, cause error) error {
	return model.Refuse(model.CodeInvalid, "%s cannot be read: %v", model.Text(name), model.Text(cause.Error())).At("dir").
		WithHint("nothing was imported; make the file readable, or import a copy")
}

// holonFiles are the files that the reader takes over, whole or in part.
var holonFiles = map[string]bool{
	"work_items.jsonl": true, "wait_conditions.jsonl": true, "waiting_intents.jsonl": true,
}

// countOthers counts what stays behind. Those lines are not judged.
func (r *holonReader) countOthers() error {
	entries, err := fs.ReadDir(r.home.root.FS(), r.home.ledger)
	if err != nil {
		return r.unreadable(r.home.ledger, err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".jsonl") || holonFiles[e.Name()] {
			continue
		}
		n := 0
		if err := r.lines(e.Name(), func(int, []byte) error { n++; return nil }); err != nil {
			return err
		}
		if r.ledger.Counts.Left == nil {
			r.ledger.Counts.Left = map[string]int{}
		}
		r.ledger.Counts.Left[e.Name()] = n
	}
	return nil
}
