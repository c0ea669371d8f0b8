package files

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAReplacedFileIsOnTheDiskBeforeItHasItsName: without the sync of the file a power cut can leave an empty one behind, without
// that of the directory the old one.
func TestAReplacedFileIsOnTheDiskBeforeItHasItsName(t *testing.T) {
	var did []string
	m := &Machine{Gate: func(op Op) error { did = append(did, string(op.Kind)); return nil }}
	if err := m.WriteFile(filepath.Join(t.TempDir(), "home.json"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(did, ", "); got != "create, write, sync, rename, sync directory" {
		t.Errorf("it did %s", got)
	}
}

func TestAReplacedFileKeepsItsPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "thread.json")
	must(t, WriteAtomic(path, []byte("one")))
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("a new file has mode %v, %v, want 0600", info.Mode(), err)
	}
	must(t, os.Chmod(path, 0o664))
	must(t, WriteAtomic(path, []byte("two")))
	info, err := os.Stat(path)
	must(t, err)
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "two" || info.Mode() != 0o664 {
		t.Errorf("got %q with mode %s, %v", got, info.Mode(), err)
	}
	onlyFile(t, filepath.Dir(path), "thread.json")
}

func TestOnlyARegularFileIsReplaced(t *testing.T) {
	inside, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(outside, []byte("old"), 0o600))
	must(t, os.Symlink(outside, filepath.Join(inside, "link")))
	must(t, os.Symlink(filepath.Dir(outside), filepath.Join(inside, "dirlink")))
	pipe(t, filepath.Join(inside, "pipe"))
	must(t, os.Mkdir(filepath.Join(inside, "dir"), 0o700))
	root, err := os.OpenRoot(inside)
	must(t, err)
	defer root.Close()
	for _, name := range []string{"link", "pipe", "dir", "dirlink/secret", "../x", "missing/x", "..", "."} {
		if err := writeAtomicIn(root, name, []byte("new")); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	for _, name := range []string{"link", "pipe", "dir"} {
		if err := WriteAtomic(filepath.Join(inside, name), []byte("new")); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if got, _ := os.ReadFile(outside); string(got) != "old" {
		t.Errorf("the file outside became %q", got)
	}
	if entries, _ := os.ReadDir(inside); len(entries) != 4 {
		t.Errorf("temporary files were left: %v", entries)
	}
}

func TestAFileBelowARootIsReplaced(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o700))
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	must(t, writeAtomicIn(root, "a/b/c", []byte("x")))
	if got, err := os.ReadFile(filepath.Join(dir, "a/b/c")); err != nil || string(got) != "x" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAReaderSeesTheOldContentOrTheNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	old, fresh := bytes.Repeat([]byte("a"), 300_000), bytes.Repeat([]byte("b"), 200_000)
	must(t, WriteAtomic(path, old))
	stop := make(chan struct{})
	writer := make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				writer <- nil
				return
			default:
			}
			if err := WriteAtomic(path, [][]byte{fresh, old}[i%2]); err != nil {
				writer <- err
				return
			}
		}
	}()
	for deadline := time.Now().Add(300 * time.Millisecond); time.Now().Before(deadline); {
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, old) && !bytes.Equal(got, fresh) {
			t.Fatalf("got %d bytes of neither, %v", len(got), err)
		}
	}
	close(stop)
	must(t, <-writer)
}

// A limit on the size of files acts like a full disk: a write fails in the middle. The limit is for the whole process,
// so the test runs in a process of its own.
func TestAWriteThatFailsHalfWayLeavesTheOldContent(t *testing.T) {
	const limited = "VISE_TEST_LIMITED"
	if os.Getenv(limited) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), limited+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	dir, err := os.OpenRoot(t.TempDir())
	must(t, err)
	defer dir.Close()
	must(t, dir.WriteFile("state", []byte("old"), 0o600))
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: 1000}))
	if err := replace(dir, "state", make([]byte, 2000)); !errors.Is(err, syscall.EFBIG) {
		t.Errorf("got %v, want that the file is too large", err)
	}
	if created, err := createNew(nil, dir, "plan.md", make([]byte, 2000), true); created || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("got %v, %v, want that the file is too large", created, err)
	}
	if got, _ := dir.ReadFile("state"); string(got) != "old" {
		t.Errorf("got %q, want the old content", got)
	}
	onlyFile(t, dir.Name(), "state")
}

func pipe(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o600)) }
