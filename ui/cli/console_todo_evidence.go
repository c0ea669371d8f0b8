package cli

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
	"vise/ui/console"
)

// Finding is part of console.Files.
func (r *fileTodos) Finding(_ context.Context, ref file.Ref) console.Finding {
	earlier := r.earlier()
	r.mu.Lock()
	defer r.mu.Unlock()
	x := console.Finding{Ref: ref}
	w, err := r.mine()
	if err != nil {
		x.Trouble = home.MissingTodo(err)
		return x
	}
	t, ok := w.snap.Index().Find(ref)
	if !ok {
		x.Trouble = home.MissingTodo(nil)
		return x
	}
	x.Before = dismissedBefore(t, w, earlier)
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
	case errors.Is(err, fs.ErrNotExist):
		x.Trouble = "the file is not there any more"
	case err != nil:
		x.Trouble = "the file cannot be shown: " + model.Text(err.Error()).String()
	default:
		x.Excerpt = file.ExcerptOf(x.Parts, code)
	}
	return x
}

// dismissedBefore looks for the same finding among those of its own session and of others.
func dismissedBefore(t file.Todo, w *watchedSession, earlier []file.Dismissed) *file.Dismissed {
	all := slices.DeleteFunc(slices.Clone(earlier), func(e file.Dismissed) bool { return e.Session == w.Name() })
	for _, o := range w.snap.Todos {
		all = append(all, file.Dismissed{Todo: o})
	}
	if d, ok := file.DismissedBefore(t, all); ok {
		return &d
	}
	return nil
}

// Act is part of console.Files.
func (r *fileTodos) Act(ctx context.Context, a console.FileAct) error {
	r.mu.Lock()
	s, err := r.mine()
	r.mu.Unlock()
	if err != nil {
		return err
	}
	if a.Kind == console.FilePromote {
		return r.promote(ctx, s, a)
	}
	m := a.Move
	m.Actor, m.At, m.Owner = file.Actor{Name: file.User, Operator: true}, r.now().UTC(), file.User
	do := s.Move
	switch a.Kind {
	case console.FileRank:
		do = func(word string, m file.Move) (file.Todo, error) { return s.Reprioritise(word, a.Priority, m) }
	case console.FileReopen:
		do = s.Reopen
	case console.FileUnapprove:
		do = s.Unapprove
	}
	_, err = do(string(a.Ref), m)
	return err
}

// promote makes a work item of a finding; of one and the same it is made once.
func (r *fileTodos) promote(ctx context.Context, w *watchedSession, a console.FileAct) error {
	if r.home == nil {
		return model.Refuse(model.CodeRefused, "there is no ledger to promote into")
	}
	t, ok := w.snap.Index().Find(a.Ref)
	if !ok {
		return errors.New(home.MissingTodo(nil))
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
