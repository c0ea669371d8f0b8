package threads_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/files"
	"vise/store/storetest"
	"vise/store/threads"
)

var scene = thread.Stamp{At: "2026-11-20T12:00:00Z", Actor: "a", Source: "cli", Lineages: thread.Lineages{},
	Git: thread.Git{State: thread.GitOK, Branch: "main", Head: strings.Repeat("a", 40)}}

func apply(t testing.TB, r threads.Repo, c thread.Command) thread.Receipt {
	t.Helper()
	a, err := r.Apply(context.Background(), c, scene)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func started(t testing.TB) threads.Repo {
	t.Helper()
	r := threads.At(t.TempDir())
	apply(t, r, thread.Start{Goal: "Fix login"})
	return r
}

func patch(t testing.TB, raw string) thread.Patch {
	t.Helper()
	p, err := thread.ParsePatch([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func path(r threads.Repo, name string) string { return filepath.Join(r.Root(), ".aictx/tasks", name) }

func write(t testing.TB, r threads.Repo, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path(r, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path(r, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, r threads.Repo, name string) string {
	t.Helper()
	raw, err := os.ReadFile(path(r, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func code(err error) model.Code {
	var e *model.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestStartWritesThreadPointerAndLog(t *testing.T) {
	r := started(t)
	want := "{\n  \"active_task_id\": \"fix-login\",\n  \"updated_at\": \"2026-11-20T12:00:00Z\",\n  \"version\": 1\n}\n"
	if got := content(t, r, "active.json"); got != want {
		t.Errorf("got %s", got)
	}
	if got := content(t, r, "threads/fix-login.events.jsonl"); !strings.Contains(got, `"event": "started"`) || !strings.HasSuffix(got, "}\n") {
		t.Errorf("got %s", got)
	}
}

func TestARefusedCommandAndAReadLeaveNoTrace(t *testing.T) {
	r := threads.At(t.TempDir())
	if _, err := r.Apply(context.Background(), thread.Close{Status: thread.Resolved}, scene); code(err) != model.CodeNotFound {
		t.Errorf("got %v", err)
	}
	snap, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	snap.Close()
	if _, err := os.Stat(filepath.Join(r.Root(), ".aictx")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory was made: %v", err)
	}
}

func TestUnknownKeysAndPermissionsSurvive(t *testing.T) {
	r := started(t)
	old := content(t, r, "threads/fix-login.json")
	write(t, r, "threads/fix-login.json", strings.Replace(old, "{", "{\n  \"another_tool\": {\"x\": 1.50},", 1))
	write(t, r, "active.json", `{"active_task_id":"fix-login","pinned":true}`)
	if err := os.Chmod(path(r, "threads/fix-login.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	apply(t, r, thread.Update{Patch: patch(t, `{"next_action":"x"}`)})
	apply(t, r, thread.Start{Goal: "second"})
	if got := content(t, r, "threads/fix-login.json"); !strings.Contains(got, "\"x\": 1.50") {
		t.Errorf("got %s", got)
	}
	if got := content(t, r, "active.json"); !strings.Contains(got, "\"pinned\": true") {
		t.Errorf("got %s", got)
	}
	if info, err := os.Stat(path(r, "threads/fix-login.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

func TestLinksPipesAndHostileFilesAreRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		plant  func(t *testing.T, r threads.Repo)
		want   model.Code
		intact string
	}{
		{"thread is a link", func(t *testing.T, r threads.Repo) { relink(t, r, "threads/fix-login.json") }, model.CodeRefused, "outside"},
		{"log is a link", func(t *testing.T, r threads.Repo) { relink(t, r, "threads/fix-login.events.jsonl") }, model.CodeRefused, "outside"},
		{"lock is a link", func(t *testing.T, r threads.Repo) { relink(t, r, ".lock") }, model.CodeRefused, "outside"},
		{"threads is a link", func(t *testing.T, r threads.Repo) { relink(t, r, "threads") }, model.CodeRefused, ""},
		{"tasks is a link", func(t *testing.T, r threads.Repo) { relink(t, r, "") }, model.CodeRefused, ""},
		{"thread is a pipe", func(t *testing.T, r threads.Repo) {
			remove(t, path(r, "threads/fix-login.json"))
			storetest.Pipe(t, path(r, "threads/fix-login.json"))
		}, model.CodeRefused, ""},
		{"thread is a directory", func(t *testing.T, r threads.Repo) {
			remove(t, path(r, "threads/fix-login.json"))
			write(t, r, "threads/fix-login.json/x", "")
		}, model.CodeRefused, ""},
		{"thread is too large", func(t *testing.T, r threads.Repo) {
			write(t, r, "threads/fix-login.json", `{"x":"`+strings.Repeat("a", thread.MaxFileBytes)+`"}`)
		}, model.CodeDamaged, ""},
		{"thread has a key twice", func(t *testing.T, r threads.Repo) {
			write(t, r, "threads/fix-login.json", `{"goal":"a","Goal":"b"}`)
		}, model.CodeDamaged, ""},
		{"thread has the wrong shape", func(t *testing.T, r threads.Repo) {
			write(t, r, "threads/fix-login.json", `{"goal":"a","risks":"abc"}`)
		}, model.CodeDamaged, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := started(t)
			c.plant(t, r)
			_, err := r.Apply(context.Background(), thread.Update{Task: "fix-login", Patch: patch(t, `{"next_action":"x"}`)}, scene)
			if code(err) != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if c.intact != "" {
				if raw, err := os.ReadFile(filepath.Join(r.Root(), c.intact)); err != nil || string(raw) != "secret" {
					t.Errorf("what the link led to was touched: %q %v", raw, err)
				}
			}
		})
	}
}

// relink replaces a file by a link to one outside, and a directory by a link to itself under another name.
func relink(t *testing.T, r threads.Repo, name string) {
	t.Helper()
	at, outside := path(r, name), filepath.Join(r.Root(), "outside")
	if info, err := os.Stat(at); err == nil && info.IsDir() {
		if err := os.Rename(at, outside); err != nil {
			t.Fatal(err)
		}
	} else {
		remove(t, at)
		if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, at); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedPointerIsNoPointer(t *testing.T) {
	r := started(t)
	for _, raw := range []string{"{", `{"active_task_id":"../../../etc/passwd"}`, `{"active_task_id":"a","ACTIVE_TASK_ID":"b"}`} {
		write(t, r, "active.json", raw)
		snap, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		active, source, err := thread.ActiveOf(snap)
		snap.Close()
		if err != nil || active.ID != "fix-login" || source != thread.FromFallback {
			t.Errorf("%s: got %s %s %v", raw, active.ID, source, err)
		}
	}
}

func TestABusyLockNamesItsHolder(t *testing.T) {
	r := started(t)
	defer held(t, r).Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := r.Apply(ctx, thread.Update{Patch: patch(t, `{"next_action":"x"}`)}, scene)
	if code(err) != model.CodeBusy || !strings.Contains(err.Error(), fmt.Sprintf("by process %d since ", os.Getpid())) {
		t.Errorf("got %v", err)
	}
}

// held is the lock, taken like another process would.
func held(t testing.TB, r threads.Repo) *os.File {
	t.Helper()
	f, err := os.OpenFile(path(r, ".lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Flock(f, files.Exclusive); err != nil {
		t.Fatal(err)
	}
	return f
}

// git clean removes the lock file while somebody holds it, and another process makes a new one: a process that waited
// for the old one must wait for the new one too.
func TestALockWhoseFileWasReplacedIsTakenAgain(t *testing.T) {
	r := started(t)
	done := make(chan error, 1)
	waits := func() {
		t.Helper()
		select {
		case err := <-done:
			t.Fatalf("the lock was not waited for: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	first := held(t, r)
	go func() {
		_, err := r.Apply(context.Background(), thread.Update{Patch: patch(t, `{"next_action":"x"}`)}, scene)
		done <- err
	}()
	waits()
	remove(t, path(r, ".lock"))
	second := held(t, r)
	first.Close()
	waits()
	second.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestAReadOnlyRepositoryIsSaidAndUntouched(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere")
	}
	r := started(t)
	before := content(t, r, "threads/fix-login.json")
	if err := os.Chmod(path(r, "threads"), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(path(r, "threads"), 0o700) })
	_, err := r.Apply(context.Background(), thread.Update{Patch: patch(t, `{"next_action":"x"}`)}, scene)
	if code(err) != model.CodeReadOnly || content(t, r, "threads/fix-login.json") != before {
		t.Errorf("got %v", err)
	}
}

func TestATornLogLineSpoilsOnlyItself(t *testing.T) {
	r := started(t)
	log := content(t, r, "threads/fix-login.events.jsonl")
	write(t, r, "threads/fix-login.events.jsonl", log+`{"event": "upda`)
	apply(t, r, thread.Update{Patch: patch(t, `{"next_action":"x"}`)})
	lines := strings.Split(strings.TrimSpace(content(t, r, "threads/fix-login.events.jsonl")), "\n")
	if len(lines) != 3 || !json.Valid([]byte(lines[0])) || json.Valid([]byte(lines[1])) || !json.Valid([]byte(lines[2])) {
		t.Errorf("got %q", lines)
	}
}

func TestSettingAsideDeletesNothing(t *testing.T) {
	r := started(t)
	before := content(t, r, "threads/fix-login.json")
	for range 2 {
		write(t, r, "threads/fix-login.json", before)
		if err := r.SetAside(context.Background(), "fix-login"); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"threads/fix-login.json.set-aside", "threads/fix-login.json.set-aside-1"} {
		if got := content(t, r, name); got != before {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// interrupted is an update during which another program replaces the file the given number of times.
type interrupted struct {
	thread.Update
	times *int
	by    func()
}

func (c interrupted) Do(f thread.Facts, s thread.Stamp) (thread.Change, error) {
	change, err := c.Update.Do(f, s)
	if *c.times > 0 {
		*c.times--
		c.by()
	}
	return change, err
}

func TestAnEditorThatSavesMeanwhileLosesNothing(t *testing.T) {
	r := started(t)
	times, n := 4, 0
	a := apply(t, r, interrupted{thread.Update{Patch: patch(t, `{"risks":["ours"]}`)}, &times, func() {
		n++
		raw := content(t, r, "threads/fix-login.json")
		raw = strings.Replace(raw, "\"verified\": [", fmt.Sprintf("\"verified\": [%q%s", fmt.Sprint("theirs ", n), map[bool]string{true: ",", false: ""}[n > 1]), 1)
		write(t, r, "threads/fix-login.json", raw)
	}})
	if len(a.Thread.Verified) != 4 || len(a.Thread.Risks) != 1 {
		t.Errorf("got %q %q", a.Thread.Verified, a.Thread.Risks)
	}
	times = 1000
	_, err := r.Apply(context.Background(), interrupted{thread.Update{Patch: patch(t, `{"risks":["again"]}`)}, &times, func() {
		n++
		write(t, r, "active.json", fmt.Sprintf(`{"active_task_id":"fix-login","n":%d}`, n))
	}}, scene)
	if code(err) != model.CodeBusy || strings.Contains(content(t, r, "threads/fix-login.json"), "again") {
		t.Errorf("a file that never rests: got %v", err)
	}
}

// What another program saves after the last comparison is kept and reported, however it writes and however late.
func TestASaveInTheMomentOfTheWriteIsKept(t *testing.T) {
	for _, c := range []struct {
		name  string
		saves func(t *testing.T, at string) (finish func())
	}{
		{"by rename", func(t *testing.T, at string) func() {
			if err := errors.Join(os.WriteFile(at+"~", []byte("theirs"), 0o600), os.Rename(at+"~", at)); err != nil {
				t.Fatal(err)
			}
			return func() {}
		}},
		{"in place, half done", func(t *testing.T, at string) func() {
			f, err := os.Create(at)
			if err != nil {
				t.Fatal(err)
			}
			return func() {
				if _, err := f.WriteString("theirs"); errors.Join(err, f.Close()) != nil {
					t.Error(err)
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := started(t)
			for _, copy := range []string{"conflict-copy", "conflict-copy-1"} {
				var finish func()
				restore := threads.BeforeSwap(func(name string) { finish = c.saves(t, path(r, name)) })
				a := apply(t, r, thread.Update{Patch: patch(t, fmt.Sprintf(`{"next_action":%q}`, copy))})
				restore()
				finish()
				kept := "threads/fix-login.json." + copy
				want := model.Text("another program saved in the same moment; what it saved is kept as .aictx/tasks/" + kept)
				if got := content(t, r, kept); got != "theirs" || !slices.Contains(a.Warnings(), want) {
					t.Errorf("kept %q, warnings %q", got, a.Warnings())
				}
				if got := content(t, r, "threads/fix-login.json"); !strings.Contains(got, copy) {
					t.Errorf("ours is not there: %s", got)
				}
			}
		})
	}
}

// Until the last comparison a command is decided again, and its log has it once.
func TestASaveWhileTheLogIsWrittenIsJudged(t *testing.T) {
	r := started(t)
	old := content(t, r, "threads/fix-login.json")
	restore := threads.AfterLog(func() {
		write(t, r, "threads/fix-login.json", strings.Replace(old, "{", `{"k": 1,`, 1))
	})
	apply(t, r, thread.Update{Patch: patch(t, `{"next_action":"x"}`)})
	restore()
	if got := content(t, r, "threads/fix-login.json"); !strings.Contains(got, `"k": 1`) || !strings.Contains(got, `"next_action": "x"`) {
		t.Errorf("got %s", got)
	}
	if got := strings.Count(content(t, r, "threads/fix-login.events.jsonl"), "\n"); got != 2 {
		t.Errorf("the log has %d lines, want 2", got)
	}
}

// Sixteen writers add a hundred facts each; the list holds twelve. Every fact is in the list or, as evicted, in the
// log.
func TestSixteenWritersLoseNothing(t *testing.T) {
	storetest.Slow(t)
	const writers, updates = 16, 100
	r := started(t)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for u := range updates {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				_, err := r.Apply(ctx, thread.Update{Patch: patch(t, fmt.Sprintf(`{"verified":["w%d u%d"]}`, w, u))}, scene)
				cancel()
				if err != nil {
					t.Errorf("writer %d update %d: %v", w, u, err)
				}
			}
		})
	}
	wg.Wait()
	lost := 0
	known := content(t, r, "threads/fix-login.json") + evicted(t, r)
	for w := range writers {
		for u := range updates {
			if !strings.Contains(known, fmt.Sprintf("%q", fmt.Sprintf("w%d u%d", w, u))) {
				lost++
			}
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d facts are lost", lost, writers*updates)
	}
}

// evicted are the log's lines of evicted entries.
func evicted(t *testing.T, r threads.Repo) string {
	t.Helper()
	var b strings.Builder
	for _, line := range strings.Split(content(t, r, "threads/fix-login.events.jsonl"), "\n") {
		if line != "" && !json.Valid([]byte(line)) {
			t.Errorf("torn line %q", line)
		}
		if strings.Contains(line, `"event": "evicted"`) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestAHalfWrittenFileIsReadOnceItIsWhole(t *testing.T) {
	r := started(t)
	whole := content(t, r, "threads/fix-login.json")
	write(t, r, "threads/fix-login.json", "")
	written := make(chan error, 1)
	time.AfterFunc(5*time.Millisecond, func() {
		written <- os.WriteFile(path(r, "threads/fix-login.json"), []byte(whole), 0o644)
	})
	snap, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if _, there, err := snap.Thread("fix-login"); err != nil || !there {
		t.Errorf("got %v %v", there, err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
}
