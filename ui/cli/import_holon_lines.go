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

// holonFields are the fields of a record that nobody has taken yet.
type holonFields map[string]json.RawMessage

func decodeFields(raw []byte) (holonFields, error) {
	var f holonFields
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, errors.New("not a JSON object")
	}
	return f, nil
}

// takeField reads the field key into out and removes it from f. Absent and null leave out as it is.
func takeField[T any](f holonFields, key string, out *T) error {
	raw, ok := f[key]
	delete(f, key)
	if !ok || string(raw) == "null" {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("field %s: %w", key, err)
	}
	return nil
}

// takeFields is several takes of one type.
func takeFields[T any](f holonFields, into map[string]*T) error {
	var err error
	for key, out := range into {
		err = errors.Join(err, takeField(f, key, out))
	}
	return err
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

// holonRecord is the last snapshot of an id and where it stands.
type holonRecord struct {
	id   string
	line int
	holonFields
}

// latest are the last snapshots of a file, in the order in which their ids first appear,
// and the number of snapshots before them.
func (r *holonReader) latest(file string) (records []holonRecord, superseded int, err error) {
	at := map[string]int{}
	err = r.lines(file, func(n int, line []byte) error {
		f, err := decodeFields(line)
		if err != nil {
			return err
		}
		var id string
		if err := takeField(f, "id", &id); err != nil {
			return err
		}
		if id == "" {
			return errors.New("no id")
		}
		if i, known := at[id]; known {
			records[i] = holonRecord{id, n, f}
			superseded++
			return nil
		}
		at[id] = len(records)
		records = append(records, holonRecord{id, n, f})
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
