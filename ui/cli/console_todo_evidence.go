package cli

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"

	"vise/model"
	file "vise/model/todo"
	"vise/store/files"
	"vise/store/home"
	"vise/ui/console"
)

// Finding is part of console.Files.
func (r *fileTodos) Finding(_ context.Context, ref file.Ref) console.Finding {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := console.Finding{Ref: ref}
	w, t, err := r.find(ref)
	if err != nil {
		x.Trouble = err.Error()
		return x
	}
	var all [][]file.Todo
	for _, base := range r.own {
		if w := r.sessions[base]; w != nil {
			all = append(all, w.snap.Todos)
		}
	}
	x.Before = file.DismissedBefore(t, all...)
	if twin, how, ok := file.Twin(w.snap.Todos, t); ok {
		x.Twin, x.How = &twin, how
	}
	body, err := w.Body(t)
	if err != nil {
		x.Trouble = home.MissingTodo(err)
		return x
	}
	if x.Parts = file.PartsOf(t, body); x.File == "" {
		return x
	}
	code, err := w.Code(x.File.Raw()) // raw: a path to open, not shown
	switch {
	case files.IsGone(err):
		x.Trouble = "the file is not there any more"
	case err != nil:
		x.Trouble = "the file cannot be shown: " + safe(err.Error())
	default:
		x.Excerpt = file.ExcerptOf(x.Parts, code)
	}
	return x
}

// find returns the todo that a full ref names. An error is in words for the screen.
func (r *fileTodos) find(ref file.Ref) (w *watchedSession, t file.Todo, err error) {
	w, within, err := r.holding(ref)
	if err != nil {
		return w, t, errors.New(home.MissingTodo(err))
	}
	t, err = w.snap.Resolve(within.Raw())
	return w, t, err
}

// Editor is part of console.Files.
func (r *fileTodos) Editor(ctx context.Context, ref file.Ref) (*exec.Cmd, error) {
	x := r.Finding(ctx, ref)
	r.mu.Lock()
	defer r.mu.Unlock()
	w, t, err := r.find(ref)
	if err != nil {
		return nil, err
	}
	path, line := w.File(t), 0
	if x.File != "" && x.Trouble == "" {
		line = x.Place.Line
		if path = filepath.FromSlash(x.File.Raw()); !filepath.IsAbs(path) { // raw: a path to open, not shown
			path = filepath.Join(w.Repo, path)
		}
	}
	return r.editor(path, line)
}

// Act is part of console.Files.
func (r *fileTodos) Act(ctx context.Context, a console.FileAct) error {
	r.mu.Lock()
	s, within, err := r.holding(a.Ref)
	r.mu.Unlock()
	if err != nil {
		return errors.New(home.MissingTodo(err))
	}
	if a.Kind == console.FilePromote {
		return r.promote(ctx, s, within, a)
	}
	m := a.Move
	m.Actor, m.At, m.Owner = file.Actor{Name: file.User, Operator: true}, r.now().UTC(), file.User
	judge := file.Judge
	switch a.Kind {
	case console.FileStart:
		_, _, err := s.Start(string(within), m, alive())
		return err
	case console.FileComplete:
		m.To, m.Resolution = file.Complete, file.Fixed
	case console.FileInterrupt:
		m.To = file.Interrupted
	case console.FileResume:
		judge = file.Resume
	case console.FileRank:
		m.Priority, judge = a.Priority, file.Reprioritise
	case console.FileReopen:
		judge = file.Reopen
	case console.FileUnapprove:
		judge = file.Unapprove
	}
	_, err = s.Change(string(within), m, judge)
	return err
}

// promote makes a work item from a finding. For the same finding it makes only one.
func (r *fileTodos) promote(ctx context.Context, w *watchedSession, within file.Ref, a console.FileAct) error {
	t, err := w.snap.Resolve(within.Raw())
	if err != nil {
		return err
	}
	body, err := w.Body(t)
	if err != nil {
		return err
	}
	made, err := r.home.Promote(ctx, model.Envelope{Actor: model.Operator, Agent: a.Agent}, w.Path(), t, body)
	for _, x := range made.Warnings {
		if x.Kind == model.WarnTodoNotLinked {
			err = errors.New(x.Message)
		}
	}
	return err
}
