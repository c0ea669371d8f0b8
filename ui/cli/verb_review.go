package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"vise/model"
	"vise/model/thread"
)

// review is the data of review: the changes by the work on an item, and the comments on them.
type review struct {
	itemName
	Objective model.Text `json:"objective"`
	thread.Diff
	Files    []reviewFile      `json:"files"`
	Comments []reviewComment   `json:"comments"`
	Messages []model.MessageID `json:"message_ids,omitempty"`
}

// reviewFile is a file that the work changed.
type reviewFile struct {
	Path   model.Text `json:"path"`
	Old    model.Text `json:"old_path,omitempty"`
	Status string     `json:"status"`
	// Added and Removed are omitted if they are not known.
	Added   *int `json:"added,omitempty"`
	Removed *int `json:"removed,omitempty"`
	Binary  bool `json:"binary,omitempty"`
}

// reviewComment is a comment and its state.
type reviewComment struct {
	model.Commented
	State model.CommentState `json:"state"`
}

func reviewVerb() verb {
	var sends bool
	return verb{
		use: "review ID", short: "Show what the work on an item changed, and the comments on it",
		long: `review lists the files that differ between where the work began and the work tree, and the comments on
them. With --send the unsent comments go to the agent as one message. A comment counts as answered when
the agent received it, replied afterwards, and the quoted line is gone.`,
		example: "vise review wi-7f3k --send",
		keyed:   true,
		verbs:   []verb{commentVerb()},
		flags:   flags{{"send", &sends, "send the comments that were not sent, as one message"}},
		run: func(e *Env) (answer, error) {
			out, err := reviewOf(e, e.words[0])
			var in model.Receipt
			if err == nil && sends {
				in, err = send(e, e.agent, model.SendComments{WorkItemID: out.WorkItemID})
				out.sent(in)
			}
			return answerOf(out, (*page).review).warned(in.Warnings), err
		},
	}
}

// sent marks the unsent comments as sent with the message of a receipt.
func (r *review) sent(in model.Receipt) {
	r.Messages = in.Messages
	for i := range r.Comments {
		if x := &r.Comments[i]; x.State == model.CommentUnsent && len(in.Messages) > 0 {
			x.MessageID, x.Delivery, x.State = in.Messages[0], model.MessageQueued, model.CommentSent
		}
	}
}

func reviewOf(e *Env, ref string) (review, error) {
	item, err := itemOf(e, ref)
	if err != nil {
		return review{}, err
	}
	out := review{itemName: itemName{item.ID, item.Handle}, Objective: item.Objective, Files: []reviewFile{}, Comments: []reviewComment{}}
	var comments []model.Commented
	if err := read(e, func(r model.Reader) error {
		comments = model.CommentsOf(r, item)
		return nil
	}); err != nil {
		return out, err
	}
	dir := item.Links.Worktree()
	for _, x := range comments {
		out.Comments = append(out.Comments, reviewComment{x, x.State(commentChanged(dir, x.Comment))})
	}
	if dir == "" {
		out.Problem = "it is not known where the work is done: nobody has picked it in a repository"
		return out, nil
	}
	out.Diff = diffOf(e, item.Links, false)
	for _, f := range out.Diff.Files {
		x := reviewFile{Path: f.Path, Old: f.Old, Status: string(f.Status), Binary: f.Binary}
		if f.Counted {
			x.Added, x.Removed = &f.Added, &f.Removed
		}
		out.Files = append(out.Files, x)
	}
	return out, nil
}

// commentChanged reports whether the lines of a comment have changed. For a file that cannot be read it returns false.
func commentChanged(dir string, x model.Comment) bool {
	if dir == "" {
		return false
	}
	raw, hash, err := git.File(dir, x.File.Raw()) // raw: a path to open
	return err == nil && thread.Changed(x, raw, hash)
}

func (p *page) review(out review) {
	p.line("%s %s", out.Handle, out.Objective)
	switch {
	case out.Problem != "":
		p.line("%s", out.Problem)
	case out.Began:
		p.line("since it began, at %s, in %s", out.Base[:min(len(out.Base), 8)], out.Dir)
	default:
		p.line("since %s %s in %s; where the work began is not recorded", out.Since, out.Base[:min(len(out.Base), 8)], out.Dir)
	}
	for _, f := range out.Files {
		counts := "not counted" // too large, or not a regular file
		switch {
		case f.Binary:
			counts = "binary"
		case f.Added != nil:
			counts = fmt.Sprintf("+%d −%d", *f.Added, *f.Removed)
		}
		name := f.Path
		if f.Old != "" {
			name = f.Old + " → " + f.Path
		}
		p.line("  %s %-12s %s", f.Status, counts, name)
	}
	if out.More > 0 {
		p.line("  and %s more", model.Counted(out.More, "file"))
	}
	for _, x := range out.Comments {
		p.line("%s  %s  %s", p.strong(string(x.State)), x.Where(), x.Text)
		if x.Quote != "" {
			p.line("    > %s", x.Quote)
		}
	}
}

func commentVerb() verb {
	return verb{
		use: "comment ID FILE[:LINE] TEXT", short: "Comment on a line that the work on an item changed",
		long: `comment keeps your comment on a line of the item's work tree, with the line as it is now. vise review ID
--send sends all comments to the agent in one message. Until then vise undo takes the last one back.`,
		example: "vise review comment wi-7f3k limit.go:5 'Use the field.'",
		keyed:   true,
		run: func(e *Env) (answer, error) {
			args := e.words
			item, err := itemOf(e, args[0])
			if err != nil {
				return nil, err
			}
			cmd, err := commentOn(item, args[1], strings.Join(args[2:], " "))
			if err != nil {
				return nil, err
			}
			in, err := send(e, item.AgentID, cmd)
			return receiptAnswer(in, "commented on %s; vise review %s --send sends it", args[1], item.Handle), err
		},
	}
}

// commentOn returns the command for a comment on FILE or FILE:LINE, below the item's work tree.
func commentOn(item model.WorkItem, at, words string) (model.CommentOn, error) {
	file, line := at, 0
	if i := strings.LastIndexByte(at, ':'); i > 0 {
		if n, err := strconv.Atoi(at[i+1:]); err == nil && n >= 0 {
			file, line = at[:i], n
		}
	}
	none, dir := model.CommentOn{}, item.Links.Worktree()
	if dir == "" {
		return none, refuse("it is not known where the work on %s is done", item.Handle).
			WithHint("nobody has picked it in a repository; vise link %s --ref worktree:DIR names one", item.Handle)
	}
	if !filepath.IsLocal(file) {
		return none, misuse("file", "%s is not below the work tree %s", file, dir)
	}
	raw, hash, err := git.File(dir, file)
	c := model.CommentOn{WorkItemID: item.ID, File: model.Text(file), Line: line, Hash: hash, Text: model.Text(words)}
	switch lines := bytes.Split(raw, []byte{'\n'}); {
	case err != nil:
		return none, err
	case hash == "":
		return none, notFound("there is no file %s in %s", file, dir).At("file",
			"vise review %s lists what the work changed", item.Handle)
	case line > len(lines):
		return none, misuse("line", "%s has %s", file, model.Counted(len(lines), "line"))
	case line > 0:
		c.Quote = model.Text(lines[line-1])
	}
	return c, nil
}
