package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vise/store/files"
)

// Home is the directory that holds a ledger and what belongs to it.
type Home struct {
	Dir string `json:"-"`
	// ID is in the ledger too, so that a ledger of another home is not taken for this one's.
	ID      string    `json:"id"`
	Format  int       `json:"format"`
	Created time.Time `json:"created"`
	// Revision is one that the ledger is known to have reached: a ledger below it is an
	// older one.
	Revision uint64 `json:"revision"`

	machine *files.Machine
}

// homeFormat is the layout of a home that this program writes.
const homeFormat = 1

const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)

// The parts of a home.
const (
	homeFile     = "home.json"
	ledgerFile   = "ledger.db"
	lockFile     = "ledger.lock"
	journalDir   = "journal"
	snapshotsDir = "snapshots"
	asideDir     = "aside"
	agentsDir    = "agents"
)

var homeDirs = []string{journalDir, snapshotsDir, agentsDir, "spool", "state", "log"}

// DefaultHome is where the home of a user lies: $VISE_HOME, or vise in the data directory
// of the XDG convention. getenv is os.Getenv.
func DefaultHome(getenv func(string) string) (string, error) {
	if dir := getenv("VISE_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "vise"), nil
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "", refuse("set VISE_HOME to a directory", "nothing says where your home is: %v", err)
	}
	return filepath.Join(dir, ".local", "share", "vise"), nil
}

// openHome reads the home in dir and makes its files private. Where nothing was created
// it returns ErrNoHome and has written nothing.
func openHome(m *files.Machine, dir string) (Home, error) {
	h := Home{Dir: dir, machine: m}
	raw, err := os.ReadFile(h.path(homeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Home{}, h.absent()
	}
	if err != nil {
		return Home{}, err
	}
	h = Home{}
	err = json.Unmarshal(raw, &h)
	h.Dir, h.machine = dir, m
	if err != nil || h.ID == "" {
		return Home{}, refuse(restoreHint, "%s does not read as a home: %v", h.path(homeFile), err)
	}
	if h.Format > homeFormat {
		return Home{}, refuse("install a newer vise", "the home %s has format %d, and this vise knows %d", dir, h.Format, homeFormat)
	}
	if !h.used() {
		return Home{}, h.absent() // its creation was not finished
	}
	return h, h.guard()
}

// makeFiles makes the directories of a home and its home.json. The caller holds the lock.
func (h Home) makeFiles() error {
	for _, d := range homeDirs {
		if err := h.machine.Mkdir(h.path(d), dirMode); err != nil {
			return err
		}
	}
	return h.save()
}

func (h Home) path(name string) string { return filepath.Join(h.Dir, name) }

// asidePath is where something of the home is kept that is replaced; nothing lies there.
func (h Home) asidePath(what, end string) string {
	path := h.path(filepath.Join(asideDir, what+"-"+h.machine.Now().UTC().Format(snapshotTime)))
	for n := 1; ; n++ {
		name := path + end
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", path, n, end)
		}
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name
		}
	}
}

// absent tells a home that was never made from one whose home.json is gone.
func (h Home) absent() error {
	if h.used() {
		return refuse(restoreHint, "the home %s has lost its %s", h.Dir, homeFile)
	}
	return noHome(h.Dir)
}

// used reports whether anything tells of work that was kept here.
func (h Home) used() bool {
	if _, err := os.Lstat(h.path(ledgerFile)); err == nil || h.Revision > 0 {
		return true
	}
	for _, d := range []string{agentsDir, journalDir, snapshotsDir} {
		if entries, err := os.ReadDir(h.path(d)); err == nil && len(entries) > 0 {
			return true
		}
	}
	return false
}

// save writes home.json, whole or not at all.
func (h Home) save() error {
	raw, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	return h.machine.Replace(h.path(homeFile), func(f *files.File) error {
		_, err := f.Write(append(raw, '\n'))
		return err
	})
}

// reached remembers that the ledger has come to a revision. A smaller one is never written
// over a larger one that another process saved, as far as this process can see.
func (h *Home) reached(revision uint64) error {
	if now, err := openHome(h.machine, h.Dir); err == nil && now.Revision >= revision {
		h.Revision = now.Revision
		return nil
	}
	h.Revision = revision
	return h.save()
}
