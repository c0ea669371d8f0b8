// Package todo is the command line of file todos: vise todo and its verbs. It turns flags
// into moves, hands them to the session, and prints what came of it.
package todo

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

// Env is what the door needs of the process.
type Env struct {
	// Dir is the working directory, absolute.
	Dir string
	Now func() time.Time
	// Actor is who acts when no --as says otherwise. Operator says that it is a person.
	Actor    string
	Operator bool
	// Who, when given, says it instead, once the flags are read.
	Who func() (file.Actor, error)
	// Work is the ledger of WorkItems; nil where there is none.
	Work Work
	// Host names this machine in leases.
	Host string
	// NewID makes the fencing id of a lease.
	NewID          func() string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Thresholds say what is stale; the zero value means the default.
	Thresholds file.Thresholds
	// Limits, when given, says them instead, when they are asked for.
	Limits func() (file.Thresholds, error)
}

// desk is one session as one invocation sees it.
type desk struct {
	*todos.Session
	env   Env
	repo  string
	actor file.Actor
}

// sit opens the session that is meant: the one named, else the newest. Only an act that
// makes todos may make a session, and only one that was named.
func (d *door) sit(create bool) (*desk, error) {
	who, err := d.who()
	if err != nil {
		return nil, err
	}
	at := &desk{env: d.env, repo: d.where(), actor: who}
	switch {
	case d.session == "":
		at.Session, err = todos.Newest(at.repo)
	case create:
		at.Session, err = d.named(at.repo, d.session, todos.OpenNew)
	default:
		at.Session, err = d.named(at.repo, d.session, todos.Open)
	}
	if err != nil {
		return nil, explained(err)
	}
	return at, nil
}

func (d *door) where() string {
	switch {
	case d.repo == "":
		return todos.RepoOf(d.env.Dir)
	case filepath.IsAbs(d.repo):
		return d.repo
	}
	return filepath.Join(d.env.Dir, d.repo)
}

func (d *door) who() (file.Actor, error) {
	switch {
	case d.as != "":
		return file.Actor{Name: model.Text(d.as), Operator: d.as == file.User}, nil
	case d.env.Who != nil:
		return d.env.Who()
	}
	return file.Actor{Name: model.Text(d.env.Actor), Operator: d.env.Operator}, nil
}

func (d *door) named(repo, dir string, open func(repo, rel string) (*todos.Session, error)) (*todos.Session, error) {
	rel, err := todos.Normalize(repo, dir)
	if err != nil {
		return nil, model.Refuse(model.CodeInvalid, "%s", err.Error()).At("session").WithHint("pass tmp/WORKFLOW/ID")
	}
	return open(repo, rel)
}

// explained gives the errors of files and sessions the codes that doors speak.
func explained(err error) error {
	var known *model.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, todos.ErrNoSession):
		return model.Refuse(model.CodeNotFound, "no session context found").At("session").
			WithHint("use --session tmp/WORKFLOW/ID, or run a workflow first")
	case errors.Is(err, todos.ErrChanged):
		return model.Refuse(model.CodeConflict, "%s", model.Text(err.Error())).WithHint("an editor was at it: look again, then try again")
	case errors.Is(err, todos.ErrGone), errors.Is(err, fs.ErrNotExist):
		return model.Refuse(model.CodeNotFound, "%s", model.Text(err.Error())).At("session")
	}
	return err
}

// move is a wish with what every wish has: who and when.
func (at *desk) move(to file.Status, reason string) file.Move {
	return file.Move{To: to, Actor: at.actor, At: at.env.Now().UTC(), Reason: model.Text(reason), Owner: at.actor.Name}
}

func (at *desk) alive() file.Probe { return todos.Processes(at.env.Host) }

func (at *desk) stale(x *file.Index) (map[file.Ref]file.Stale, error) {
	limits := at.env.Thresholds
	if at.env.Limits != nil {
		var err error
		if limits, err = at.env.Limits(); err != nil {
			return nil, err
		}
	}
	if limits == (file.Thresholds{}) {
		limits = file.DefaultThresholds()
	}
	out := map[file.Ref]file.Stale{}
	for _, s := range file.FindStale(x, at.env.Now(), limits, at.Life(at.env.Host, at.alive()), at.alive()) {
		out[s.Todo] = s
	}
	return out, nil
}
