package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
	"vise/ui/agents"
)

func worktreeDoneVerb(e *Env) *cobra.Command {
	var m mutation
	remove := false
	c := &cobra.Command{
		Use: "done ID", Short: "Say what is unmerged in a work item's work tree, and remove it on request",
		Example: "vise worktree done wi-7f3k",
		Long: "done says whether the work tree of an item is SAFE to remove, or NEEDS REVIEW, and why. With --remove it removes\n" +
			"one that is safe, with its branch and what vise put into it; it never removes another one.",
		ValidArgsFunction: items(e, model.FilterAll),
	}
	m.keyed(c)
	c.Flags().BoolVar(&remove, "remove", false, "remove it, and its branch, if it is safe")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		return endWorktree(e, args[0], m, remove)
	})
}

func endWorktree(e *Env, ref string, m mutation, remove bool) (answer, error) {
	item, err := itemOf(e, ref)
	if err != nil {
		return answer{}, err
	}
	dir := item.Links.OwnWorktree()
	if dir == "" {
		return answer{}, model.Refuse(model.CodeNotFound, "%s has no work tree", item.Handle).
			WithHint("vise worktree new %s makes one; vise worktrees lists those of a repository", item.Handle)
	}
	from := e.dir
	if exists(dir) {
		from = dir
	}
	main, list, err := listWorktrees(e, from)
	if err != nil {
		return answer{}, err
	}
	i := slices.IndexFunc(list, func(w thread.Worktree) bool { return w.Path.Raw() == dir }) // raw: compared, not shown
	if i < 0 {
		return answer{}, model.Refuse(model.CodeNotFound, "%s is no work tree of %s any more", model.Text(dir), main.Path).
			WithHint("vise unlink %s --ref %s:%s forgets it", item.Handle, model.RefWorktree, model.Text(dir))
	}
	out := look(e, list[i], main)
	if remove {
		if !out.Safe {
			return answer{}, model.Refuse(model.CodeRefused, "the work tree of %s needs review: %s", item.Handle, joined(out.Review)).
				WithHint("settle that, or remove it yourself: git worktree remove %s", out.Path)
		}
		if err := removeWorktree(e, main, out); err != nil {
			return answer{}, err
		}
		out.Removed = true
		unlink := model.LinkWorkItem{WorkItemID: item.ID}
		unlink.Remove.Refs = []model.Ref{{Kind: model.RefWorktree, Ref: model.Text(dir)}}
		if began := item.Links.Began(dir); began != "" {
			unlink.Remove.Refs = append(unlink.Remove.Refs, model.BeganAt(dir, began))
		}
		if _, err := send(e, m, item.AgentID, unlink); err != nil {
			return answer{}, err
		}
	}
	return answer{data: out, text: func(p *page) { p.worktrees(worktrees{[]worktree{out}}) }}, nil
}

func joined(list []model.Text) model.Text {
	var out []string
	for _, s := range list {
		out = append(out, s.String())
	}
	return model.Text(strings.Join(out, "; "))
}

// removeWorktree removes vise's files from a work tree, and then the work tree. git checks it once more.
func removeWorktree(e *Env, main thread.Worktree, w worktree) error {
	for _, program := range agents.ProjectPrograms {
		o, err := installOptions(e, program, agents.Options{Project: w.Path.Raw(), Uninstall: true}) // raw: a path
		if err == nil {
			_, err = agents.Install(o)
		}
		if err != nil {
			return err
		}
	}
	return (threads.Reader{}).RemoveWorktree(e, main.Path.Raw(), w.Path.Raw(), w.Branch.Raw()) // raw: for git
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, os.ErrNotExist)
}
