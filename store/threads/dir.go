package threads

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/files"
)

const (
	stateDir   = ".aictx"
	tasksDir   = stateDir + "/tasks"
	threadsDir = "threads"
	pointer    = "active.json"
	lockFile   = ".lock"
	ignoreFile = ".gitignore"
	jsonSuffix = ".json"
	logSuffix  = ".events.jsonl"
	// Suffixes of the names under which an earlier version is kept beside a file.
	asideSuffix    = "set-aside"
	conflictSuffix = "conflict-copy"
)

// Repo is the Work State of one repository.
type Repo struct{ root string }

// At returns the Work State below a directory. It reads and creates nothing.
func At(root string) Repo { return Repo{root: root} }

// Root is the repository's directory.
func (r Repo) Root() string { return r.root }

// Dirs returns the directories to watch for changes. They can be missing.
func (r Repo) Dirs() []string {
	tasks := filepath.Join(r.place(), filepath.FromSlash(tasksDir))
	return []string{tasks, filepath.Join(tasks, threadsDir)}
}

// FindRoot walks up from dir to the directory that holds a Work State or a repository, and returns dir itself if there is none. It leaves
// neither dir's file system nor a repository. It skips a Work State in a directory that cannot have one.
func FindRoot(dir string) string {
	device, err := deviceOf(dir)
	for d := dir; err == nil && d != filepath.Dir(d); d = filepath.Dir(d) {
		if at, err := deviceOf(d); err != nil || at != device {
			break
		}
		if has(d, ".git") || has(d, tasksDir) && At(d).allowed() == nil {
			return d
		}
	}
	return dir
}

func has(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil
}

func deviceOf(dir string) (uint64, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, err
	}
	return files.StatOf(info).Device, nil
}

// allowed refuses the directories whose Work State every process below them would use: the root of the file system, and a home directory
// that is no repository.
func (r Repo) allowed() error {
	what := ""
	if home, err := os.UserHomeDir(); sameDir(r.root, string(filepath.Separator)) {
		what = "the root of the file system"
	} else if err == nil && sameDir(r.root, home) && !has(r.root, ".git") {
		what = "a home directory without a repository"
	}
	if what == "" {
		return nil
	}
	return model.Refused("no threads are kept in %s: it is %s", model.Text(r.root), model.Text(what)).At("repo",
		"go into a repository, or name one with --repo; a working directory that was removed counts as /")
}

// open opens the tasks directory. Each directory on the path must be a real one. Without a tasks directory it returns fs.ErrNotExist.
func (r Repo) open() (*os.Root, error) {
	dir, err := r.openRoot()
	if err != nil {
		return nil, err
	}
	for _, step := range strings.Split(tasksDir, "/") {
		next, err := files.Below(dir, step, false)
		dir.Close()
		if model.HasCode(err, model.CodeRefused) && step == stateDir {
			return nil, model.Refused(
				"%s of %s is no directory, and no link to the one of the repository's main work tree",
				stateDir, model.Text(r.root)).WithHint("no other link is followed; replace it by a directory, or by that link")
		}
		if err != nil {
			return nil, r.explain("open "+tasksDir, err)
		}
		dir = next
	}
	if sub, err := dir.Lstat(threadsDir); err == nil && !sub.IsDir() {
		dir.Close()
		return nil, files.NotPlain(threadsDir)
	}
	return dir, nil
}

func (r Repo) openRoot() (*os.Root, error) {
	dir, err := os.OpenRoot(r.place())
	if files.IsGone(err) {
		return nil, model.NotFound("there is no directory %s", model.Text(r.root)).At("repo")
	}
	if err != nil {
		return nil, r.explain("open the repository", err)
	}
	return dir, nil
}

// make opens the tasks directory and creates the missing directories.
func (r Repo) make() (*os.Root, error) {
	if err := r.allowed(); err != nil {
		return nil, err
	}
	dir, err := r.openRoot()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	for _, name := range []string{stateDir, tasksDir, tasksDir + "/" + threadsDir} {
		if err := dir.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, r.explain("make "+name, err)
		}
	}
	return r.open()
}

// readPlain reads a regular file, of one that is larger than MaxFileBytes the beginning. It follows no link and does not block on a pipe.
func readPlain(dir *os.Root, name string) ([]byte, error) {
	f, err := files.OpenPlain(dir, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, thread.MaxFileBytes+1))
}

// explain adds the code to an error of the file system.
func (r Repo) explain(step string, err error) error {
	switch {
	case model.AsError(err) != nil, files.IsGone(err):
		return err
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return model.Refuse(model.CodeReadOnly, "%s", step).Because(err).WithHint("the files are as before")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return model.Refuse(model.CodeFull, "%s", step).Because(err).WithHint("free some space; the files are as before")
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		return model.Refused("%s", step).Because(err)
	}
	return model.Refuse(model.CodeInternal, "%s", step).Because(err)
}

// lockLimit is how long a command waits for the write of another.
const lockLimit = 5 * time.Second

// lock takes the repository's write lock.
func (r Repo) lock(ctx context.Context, dir *os.Root) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, lockLimit)
	defer cancel()
	if err := ignoreLock(dir); err != nil {
		return nil, r.explain("write "+ignoreFile, err)
	}
	f, err := files.LockBy(ctx, dir, lockFile, "Work State")
	if err != nil {
		return nil, r.explain("lock Work State", err)
	}
	return f, nil
}

// ignoreLock keeps the lock, and the ignore file itself, out of the commits of a repository that tracks its threads. It does not change an
// existing ignore file.
func ignoreLock(dir *os.Root) error {
	if _, err := dir.Lstat(ignoreFile); !files.IsGone(err) {
		return err
	}
	err := writeSynced(dir, ignoreFile, []byte("/"+lockFile+"\n/"+ignoreFile+"\n"), nil)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
