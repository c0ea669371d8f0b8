package cli

import (
	"errors"
	"path/filepath"
	"strconv"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
)

// restoreArgs reads the value of --at, and makes --into absolute.
func restoreArgs(e *Env, o *restoreOptions) (err error) {
	switch {
	case o.into != "" && o.at == "":
		return model.Refuse(model.CodeInvalid, "--into is for --at").At("into").WithHint("vise restore --at TIME --into DIR")
	case o.at != "" && o.to > 0:
		return model.Refuse(model.CodeInvalid, "--at makes a new home, --to takes this one back").At("at").WithHint("give one of them")
	case o.at == "":
		return nil
	}
	if o.into != "" {
		if o.into, err = filepath.Abs(o.into); err != nil {
			return err
		}
	}
	if n, err := strconv.ParseUint(o.at, 10, 64); err == nil && n > 0 {
		o.to = n
		return nil
	}
	if o.moment, err = pastTime(o.at, e.now()); err != nil {
		return model.Refuse(model.CodeInvalid, "%s is %v", model.Text(o.at), err).At("at").
			WithHint("a revision (1200), a time (2026-11-20 16:00, 16:00) or a span back from now (2h)")
	}
	return nil
}

// pastTime reads a time in the past: a span before now, or a time in the form of model.ParseTime.
func pastTime(s string, now time.Time) (time.Time, error) {
	if d, err := model.ParseSpan(s); err == nil {
		return now.Add(-d), nil
	}
	t, err := time.ParseInLocation(time.DateTime, s, now.Location())
	if err != nil {
		t, err = model.ParseTime(s, now.AddDate(0, 0, -1)) // a time of day is its last occurrence
	}
	switch {
	case err != nil:
		return t, errors.New("not a time")
	case t.After(now):
		return t, errors.New("not in the past")
	}
	return t, nil
}

// copyMoment makes a new home. It replaces nothing, so that it needs no question.
func copyMoment(e *Env, out *restored, o restoreOptions) (answer, error) {
	r := &out.Recovery
	said := func(p *page) {
		p.line("begin with: %s, at revision %d; %d changes of the journal on top", model.Text(r.Source), r.SourceRevision, r.Replayed)
		p.line("as it was at revision %d, of %s", r.Revision, when(r.Made))
	}
	if o.dryRun {
		return answer{data: out, text: func(p *page) { said(p); p.line("would be made in %s; nothing was", model.Text(r.Into)) }}, nil
	}
	plans, err := files.NewHome(r.Home)
	fresh, freshErr := files.NewHome(r.Into)
	if err = errors.Join(err, freshErr); err == nil {
		err = r.Apply(e, store.RestoreOptions{Plans: plans, NewPlans: fresh, Command: "vise restore"})
	}
	if err != nil {
		return answer{}, err
	}
	out.Done = true
	return answer{data: out, text: func(p *page) {
		said(p)
		p.line("done: a home of its own in %s, with %d plan files as they are now; look at it with --home", model.Text(r.Into), r.Copied)
	}}, nil
}
