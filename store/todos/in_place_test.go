package todos

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"vise/model/todo"
	"vise/store/storetest"
)

// An editor truncates a file and writes it, a thousand times, while vise changes it. Each save is still in the file at the end.
func TestAThousandSavesInPlaceAreKept(t *testing.T) {
	storetest.Slow(t)
	const saves = 1000
	s := newSession(t, review)
	file := s.File(mustCreate(t, s, draft("one", todo.Ready))[0])
	edited, steps := make(chan error, 1), make(chan string)
	at := 0
	s.at = func(step string) { // some steps of the writes, one after the other, are when the editor saves
		if at++; at%7 == 0 {
			select {
			case steps <- step:
			default:
			}
		}
	}
	go func() {
		for i := range saves {
			<-steps
			raw, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, append(raw, fmt.Sprintf("<!-- save %d -->\n", i)...), 0o644)
			}
			if err != nil {
				edited <- err
				return
			}
		}
		edited <- nil
	}()
	changed, refused := 0, 0
	for done := false; !done; {
		select {
		case err := <-edited:
			must(t, err)
			done = true
		default:
		}
		m := operator()
		m.Priority = todo.Priorities()[(changed+refused)%3]
		switch _, err := s.Change("001", m, todo.Reprioritise); {
		case err == nil:
			changed++
		case errors.Is(err, ErrChanged):
			refused++
		default:
			t.Fatal(err)
		}
	}
	text := read(t, file)
	lost := 0
	for i := range saves {
		if !strings.Contains(text, fmt.Sprintf("<!-- save %d -->\n", i)) {
			lost++
		}
	}
	t.Logf("%d saves, %d lost; %d changes made, %d refused", saves, lost, changed, refused)
	if lost > 0 || changed == 0 {
		t.Errorf("%d of %d saves are lost; %d changes were made", lost, saves, changed)
	}
	if snap := mustLoad(t, s); len(snap.Damaged) > 0 {
		t.Errorf("damaged: %+v", snap.Damaged)
	}
}

// An editor has opened the file and truncated it when vise replaces it. The editor's file is the one that stays.
func TestAFileThatIsWrittenWhileItIsReplacedGetsItsNameBack(t *testing.T) {
	s := newSession(t, review)
	file := s.File(mustCreate(t, s, draft("one", todo.Ready))[0])
	text := strings.Replace(read(t, file), "# one", "# another", 1)
	var editor *os.File
	s.at = func(step string) {
		var err error
		switch {
		case step == stepSynced && editor == nil:
			editor, err = os.OpenFile(file, os.O_WRONLY, 0)
		case step == stepRenamed && editor.Name() == file:
			err = errors.Join(editor.Truncate(0), os.Chtimes(file, time.Time{}, time.Time{}))
			_, werr := editor.WriteString(text)
			err = errors.Join(err, werr, editor.Close())
			s.at = func(string) {}
		}
		must(t, err)
	}
	got, err := s.Change("001", operator(), func(x todo.Todo, m todo.Move, all *todo.Index) (todo.Change, error) {
		m.Priority = todo.P1
		return todo.Reprioritise(x, m, all)
	})
	must(t, err)
	if now := read(t, file); got.Title != "another" || got.Priority != todo.P1 || !strings.Contains(now, "# another") {
		t.Errorf("%s %s in\n%s", got.Title, got.Priority, now)
	}
}

// A file that an editor has truncated and not written yet is read again, and is not damaged.
func TestAHalfWrittenFileIsReadAgain(t *testing.T) {
	s := newSession(t, review)
	file := s.File(mustCreate(t, s, draft("one", todo.Ready))[0])
	whole := read(t, file)
	for _, half := range []string{"", whole[:10], whole[:len(whole)-3]} {
		must(t, os.WriteFile(file, []byte(half), 0o644))
		written := make(chan error, 1)
		time.AfterFunc(20*time.Millisecond, func() { written <- os.WriteFile(file, []byte(whole), 0o644) })
		snap := mustLoad(t, s)
		must(t, <-written)
		if len(snap.Damaged) > 0 || len(snap.Todos) != 1 || len(snap.Todos[0].History) != 1 {
			t.Errorf("of %d bytes: %+v, damaged %+v", len(half), snap.Todos, snap.Damaged)
		}
	}
	must(t, os.WriteFile(file, nil, 0o644))
	if snap := mustLoad(t, s); len(snap.Damaged) != 1 {
		t.Errorf("an empty file: %+v", snap)
	}
}

// A file that is replaced between the look at it and the reading is read again: a workflow that writes its state meanwhile still counts.
func TestAFileThatIsReplacedMeanwhileIsReadAgain(t *testing.T) {
	s := newSession(t, review)
	put(t, s, "state", "old")
	before, err := s.root.Lstat("state")
	must(t, err)
	put(t, s, "new", "new one")
	must(t, s.root.Rename("new", "state"))
	if c, err := readFile(s.root, "state", 100, before); err != nil || string(c.raw) != "new one" {
		t.Errorf("got %q, %v", c.raw, err)
	}
}

// A lease in which somebody wrote a key again is a lease: a claim without one would end at another time.
func TestALeaseCountsThoughAKeyOfItStandsTwice(t *testing.T) {
	s := newSession(t, review)
	made := mustCreate(t, s, draft("one", todo.Ready))[0]
	raw := read(t, s.File(made))
	got, err := Parse([]byte(strings.Replace(raw, "priority:", "lease: {id: a, id: b, pid: 12, host: h, until: ~}\npriority:", 1)), made.Dir, made.File)
	if want := (todo.Lease{ID: "b", PID: 12, Host: "h"}); err != nil || got.Lease != want {
		t.Errorf("got %+v, %v", got.Lease, err)
	}
}
