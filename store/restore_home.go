package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"vise/model"
	"vise/store/files"
	"vise/store/kv"
)

// The hints for a file that cannot be restored, or not to this home.
const (
	backupHint    = "name a file that vise backup made"
	otherHomeHint = "name a home that is not there yet, and the backup becomes it: --home DIR, or VISE_HOME"
)

// read reads home.json into h, without the checks of openHome. h stays as it is if there is no such file.
func (h *home) read() error {
	raw, err := files.ReadSmall(h.path(homeFile), maxHomeFile)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, h)
}

// findHome reads home.json, or finds the home's id elsewhere.
func (r *restore) findHome() error {
	h := home{Dir: r.Home, machine: r.Machine}
	err := h.read()
	if !h.used() {
		return r.newHome()
	}
	if err != nil || h.ID == "" {
		r.NewHome = true
		h = newHome(r.Machine, r.Home, "")
		if _, _, err := identify(h.path(ledgerFile)); model.HasCode(err, model.CodeFormat) {
			return err
		}
		h.ID = h.copy().HomeID()
		paths := []string{r.From}
		all, _ := h.Snapshots()
		for _, s := range all {
			paths = append(paths, s.Path)
		}
		for _, path := range append(paths, h.path(ledgerFile)) {
			if h.ID == "" && path != "" {
				h.ID, _, _ = identify(path)
			}
		}
		if h.ID == "" {
			return kv.Refuse("copy the home as it is; vise cannot restore it", "no file in %s has the home's id", r.Home)
		}
	}
	r.home, r.journal = h, h.copy()
	return knownFormat("the home "+r.Home, h.FormatName)
}

// newHome is findHome where no home is: the backup becomes one.
func (r *restore) newHome() error {
	if r.From == "" || r.RestoreOptions.Copy {
		return model.Refuse(model.CodeNoHome, "vise has no home yet").Because(noHome(r.Home)).
			WithHint("vise restore FILE, without --at, makes one of a backup; vise admin init makes an empty one")
	}
	id, err := backupOf(r.From)
	if err != nil {
		return err
	}
	h := newHome(r.Machine, r.Home, id)
	r.Fresh, r.home, r.journal = true, h, h.copy()
	return cmp.Or(makeDir(r.Machine, r.Home), h.guard())
}

// foreign refuses a ledger of another home.
func (r *restore) foreign(id string) error {
	if r.From == "" {
		return fmt.Errorf("it belongs to another home (%s)", model.Text(id))
	}
	return model.Refused("%s is a backup of another home (%s) than %s (%s)", model.Text(r.From), model.Text(id),
		model.Text(r.Home), r.home.ID).At("file", otherHomeHint)
}

// backupOf returns the id of the home whose backup a file is.
func backupOf(path string) (id string, err error) {
	if id, _, err = identify(path); err == nil && id == "" {
		err = errors.New("it names no home")
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.As(err, new(*model.Error)) {
		return id, err
	}
	if err != nil {
		err = model.Invalid("%s cannot be read as a backup", model.Text(path)).At("file").Because(err).
			WithHint(backupHint)
	}
	return id, err
}

// identify returns the id of the home that a ledger's file names, and its revision. It refuses a ledger in another format.
func identify(path string) (home string, revision uint64, err error) {
	err = viewFile(path, func(f *facts) error {
		name := ""
		f.getJSON(keyHome, &home)
		f.getJSON(keyFormat, &name)
		revision = f.head().Revision
		return cmp.Or(f.err, knownFormat(path, name))
	})
	return home, revision, err
}

// settleHome makes home.json and the journal agree with the ledger that is now in place.
func (r *Recovery) settleHome(h home, id string) error {
	if err := h.read(); err != nil || h.ID != id {
		h.ID, h.Created = id, h.machine.Now().UTC()
		err := viewFile(h.path(ledgerFile), func(f *facts) error { h.Since = f.status().Since; return f.err })
		if err != nil {
			return err
		}
	}
	h.Revision, h.Format, h.FormatName = r.Revision, max(h.Format, homeFormat), formatName
	j := h.copy()
	if end, err := j.End(); err != nil || end.Last.Revision > r.Revision || r.Keeps == keepsFile {
		if err := j.SetAside(h.asidePath("journal", "")); err != nil {
			return err
		}
	}
	return h.makeFiles()
}

// makeDir makes the directory of a home.
func makeDir(m *files.Machine, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	return m.Mkdir(dir)
}

// fillCopy makes the copy of the history of a new home.
func fillCopy(ctx context.Context, dir, command string, m *files.Machine) error {
	l, err := Open(dir, Options{Command: command, Machine: m, Context: ctx})
	if err != nil {
		return err
	}
	return errors.Join(l.HealCopy(ctx), l.Close())
}
