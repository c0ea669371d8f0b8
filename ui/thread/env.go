package thread

import (
	"context"
	"io"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/threads"
)

// Env is what the door needs of the process.
type Env struct {
	// Dir is the working directory, absolute.
	Dir string
	Now func() time.Time
	// Actor says who acts; it is asked once the command line is read. Nil: nobody.
	Actor func() (string, error)
	// Args is the command line, so that a bad flag in front of --json is answered in JSON too.
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Git reads repositories; the zero value uses the git on the path.
	Git threads.Reader
	// Started is told of every thread that begins in a repository, and says what it made of
	// it; nil does not care.
	Started func(ctx context.Context, repo string, id thread.ID) []model.Text
	// Radar is every thread of this repository and of those that work items link to; nil
	// knows only this one.
	Radar func(context.Context) ([]thread.Overview, error)
}

// desk is one repository as one invocation sees it.
type desk struct {
	*home.Repository
	env Env
}

// sit captures the repository. An empty dir means the one around the working directory.
func (e Env) sit(ctx context.Context, dir, source string) (*desk, context.CancelFunc, error) {
	room, err := e.room()
	if err != nil {
		return nil, nil, err
	}
	d, done := room.At(ctx, dir, source)
	return &desk{d, e}, done, nil
}

func (e Env) room() (home.Threads, error) {
	r := home.Threads{Dir: e.Dir, Now: e.Now, Git: e.Git}
	if e.Actor == nil {
		return r, nil
	}
	var err error
	r.Actor, err = e.Actor()
	return r, err
}
