package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/threads"
)

// linkOptions name neighbours of a work item.
type linkOptions struct {
	mutation
	threads, todos, refs []string
	repo                 string
}

func (a *app) linkVerb() *cobra.Command {
	return a.linking("link ID", "Link a work item to its threads, file todos and whatever else", func(id model.ItemID, l model.Links) model.LinkWorkItem {
		return model.LinkWorkItem{WorkItemID: id, Add: l}
	})
}

func (a *app) unlinkVerb() *cobra.Command {
	return a.linking("unlink ID", "Take links of a work item back", func(id model.ItemID, l model.Links) model.LinkWorkItem {
		return model.LinkWorkItem{WorkItemID: id, Remove: l}
	})
}

func (a *app) linking(use, short string, build func(model.ItemID, model.Links) model.LinkWorkItem) *cobra.Command {
	var o linkOptions
	c := &cobra.Command{
		Use: use, Short: short,
		Long: "A link says where the work on an item lies. It changes neither the item's order nor what anybody\n" +
			"saw of it, and completed items take links, too. What is there already, or is not there, changes nothing.",
		Example: "vise link wi-7f3k --thread fix-login-token-refresh\n" +
			"vise link wi-7f3k --todo tmp/review/7/todos:review/003 --ref issue:862", ValidArgsFunction: a.allItems,
	}
	o.keyed(c)
	f := c.Flags()
	f.StringArrayVar(&o.threads, "thread", nil, "a thread's id; its repository is the one around the working directory, or --repo")
	f.StringArrayVar(&o.todos, "todo", nil, "DIRECTORY:SOURCE/ID, a file todo of a session")
	f.StringArrayVar(&o.refs, "ref", nil, "KIND:TEXT, anything else: issue:862, file:docs/limits.md")
	f.StringVar(&o.repo, "repo", "", "the repository that --thread means")
	c.MarkFlagsOneRequired("thread", "todo", "ref")
	verb := strings.Fields(use)[0]
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		links, err := o.links(a.threads("").Dir)
		if err == nil && verb == "link" {
			err = threadsThere(links.Threads)
		}
		if err != nil {
			return answer{}, err
		}
		in, err := a.act(ctx, args[0], o.mutation, func(id model.ItemID) model.Command { return build(id, links) })
		if err != nil {
			return answer{}, err
		}
		return a.itemAnswer(ctx, in, verb+"ed")
	})
}

// threadsThere refuses links to threads that nobody started.
func threadsThere(links []model.ThreadLink) error {
	for _, l := range links {
		there, err := home.HasThread(l.Repo.Raw(), thread.ID(l.TaskID)) // raw: looked up, not shown
		if err != nil {
			return err
		}
		if !there {
			return model.Refuse(model.CodeNotFound, "there is no thread %s in %s", l.TaskID, l.Repo).At("thread").
				WithHint("vise thread list shows those of a repository; --repo names another one")
		}
	}
	return nil
}

// links reads the flags; paths are below dir unless they are absolute.
func (o linkOptions) links(dir string) (model.Links, error) {
	var l model.Links
	root := threads.FindRoot(dir)
	if o.repo != "" {
		root = absolute(dir, o.repo)
	}
	for _, id := range o.threads {
		l.Threads = append(l.Threads, model.ThreadLink{Repo: model.Text(root), TaskID: model.Text(thread.Slug(id))})
	}
	for _, t := range o.todos {
		base, ref, ok := cutLast(t)
		if !ok {
			return l, misuse("todo", "%q is no file todo", model.Text(t)).WithHint("name it as DIRECTORY:SOURCE/ID: tmp/review/7/todos:review/003")
		}
		l.TodoRefs = append(l.TodoRefs, model.TodoRef{TodosBase: model.Text(absolute(dir, base)), QualifiedID: model.Text(ref)})
	}
	for _, r := range o.refs {
		kind, ref, ok := strings.Cut(r, ":")
		if !ok {
			return l, misuse("ref", "%q has no kind", model.Text(r)).WithHint("name it as KIND:TEXT: issue:862")
		}
		l.Refs = append(l.Refs, model.Ref{Kind: model.Text(kind), Ref: model.Text(ref)})
	}
	return l, nil
}

// cutLast cuts at the last colon: a directory may hold one, a todo's id may not.
func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
