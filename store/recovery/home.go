package recovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/kv"
)

// The hints for a file that cannot be restored, or not to this home.
const (
	backupHint    = "name a file that vise backup made"
	otherHomeHint = "name a home that is not there yet, and the backup becomes it: --home DIR, or VISE_HOME"
)

// findHome reads home.json, or finds the home's id elsewhere.
func (r *restore) findHome() error {
	h := store.Home{Dir: r.Home, Machine: r.Machine}
	err := h.Read()
	if !h.Used() {
		return r.newHome()
	}
	if err != nil || h.ID == "" {
		r.NewHome = true
		h = store.NewHome(r.Machine, r.Home, "")
		if _, err := store.Identify(h.Path(store.LedgerFile)); model.HasCode(err, model.CodeFormat) {
			return err
		}
		h.ID = h.History().HomeID()
		paths := []string{r.From}
		all, _ := Snapshots(h)
		for _, s := range all {
			paths = append(paths, s.Path)
		}
		for _, path := range append(paths, h.Path(store.LedgerFile)) {
			if h.ID == "" && path != "" {
				a, _ := store.Identify(path)
				h.ID = a.Home
			}
		}
		if h.ID == "" {
			return kv.Refuse("copy the home as it is; vise cannot restore it", "no file in %s has the home's id", r.Home)
		}
	}
	r.home, r.journal = h, h.History()
	return h.KnownFormat()
}

// newHome is findHome where no home is: the backup becomes one.
func (r *restore) newHome() error {
	if r.From == "" || r.RestoreOptions.Copy {
		return model.Refuse(model.CodeNoHome, "vise has no home yet").Because(fmt.Errorf("%w: %s", store.ErrNoHome, r.Home)).
			WithHint("vise restore FILE, without --at, makes one of a backup; vise admin init makes an empty one")
	}
	id, err := backupOf(r.From)
	if err != nil {
		return err
	}
	h := store.NewHome(r.Machine, r.Home, id)
	r.Fresh, r.home, r.journal = true, h, h.History()
	return cmp.Or(store.MakeDir(r.Machine, r.Home), h.Guard())
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
	a, err := store.Identify(path)
	if id = a.Home; err == nil && id == "" {
		err = errors.New("it names no home")
	}
	if files.IsGone(err) || errors.Is(err, fs.ErrPermission) || errors.As(err, new(*model.Error)) {
		return id, err
	}
	if err != nil {
		err = model.Invalid("%s cannot be read as a backup", model.Text(path)).At("file").Because(err).
			WithHint(backupHint)
	}
	return id, err
}

// settleHome makes home.json and the journal agree with the ledger that is now in place.
func (r *Recovery) settleHome(h store.Home, id string) error {
	if err := h.Read(); err != nil || h.ID != id {
		h.ID, h.Created = id, h.Machine.Now().UTC()
		a, err := store.Identify(h.Path(store.LedgerFile))
		if err != nil {
			return err
		}
		h.Since = a.Since
	}
	h.Revision = r.Revision
	j := h.History()
	if end, err := j.End(); err != nil || end.Last.Revision > r.Revision || r.Keeps == keepsFile {
		if err := j.SetAside(h.Aside("journal", "")); err != nil {
			return err
		}
	}
	return h.Make()
}

// CanHave refuses a home that cannot get the files of a backup whose ledger comes to c, because it has another ledger.
func CanHave(ctx context.Context, dir, path string, c store.Cluster, b store.Backend) error {
	id, err := backupOf(path)
	if err != nil {
		return err
	}
	if !store.OnCluster(dir) {
		return store.Home{Dir: dir}.HasOwn()
	}
	has, err := store.ReadCluster(dir)
	if err != nil {
		return store.Explain(err)
	}
	s, err := store.LedgerOn(b, nil).ClusterStatus(ctx)
	if err == nil && (has.ID != s.ID || has.Ledger != c.Ledger || has.Home != id) {
		err = model.Conflict("%s has joined another ledger, %s", model.Text(dir), model.Text(has.Address())).
			WithHint("name another home: --home DIR; or, if that ledger is lost, move its %s away", store.ClusterFile)
	}
	return store.Explain(err)
}
