package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store/files"
	"vise/store/threads"
	"vise/ui/agents"
)

// worktrees is the data of worktrees.
type worktrees struct {
	Worktrees []worktree `json:"worktrees"`
}

// worktree is a work tree, and whether it is safe to remove.
type worktree struct {
	Path   model.Text `json:"path"`
	Branch model.Text `json:"branch,omitempty"`
	// Main means that the work tree holds the repository itself.
	Main bool `json:"main,omitempty"`
	// Base is the branch of the main work tree, with which this one is compared.
	Base         model.Text   `json:"base,omitempty"`
	Ahead        int          `json:"ahead"`
	Behind       int          `json:"behind"`
	ChangedFiles []model.Text `json:"changed_files,omitempty"`
	// Safe means that its removal loses nothing. Review is why it is not safe.
	Safe       bool          `json:"safe"`
	Review     []model.Text  `json:"review,omitempty"`
	WorkItemID model.ItemID  `json:"work_item_id,omitempty"`
	Handle     model.Handle  `json:"handle,omitempty"`
	Objective  model.Text    `json:"objective,omitempty"`
	AgentID    model.AgentID `json:"agent_id,omitempty"`
	Removed    bool          `json:"removed,omitempty"`
	line       string
}

func worktreesVerb(e *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "worktrees", Short: "Show the repository's git work trees, and which are safe to remove",
		Example: "vise worktrees",
		Long: "worktrees says SAFE of a work tree where nothing would be lost: no changed file, no commit that the branch of the\n" +
			"main work tree lacks (merged, rebased or squashed counts), no process in it (on Linux), no agent's focus.\n" +
			"Of any other it says NEEDS REVIEW, and why. It removes nothing.",
	}
	return e.plain(c, func(_ context.Context, _ []string) (answer, error) {
		main, list, err := listWorktrees(e, e.dir)
		if err != nil {
			return answer{}, err
		}
		out := worktrees{Worktrees: []worktree{}}
		for _, w := range list {
			out.Worktrees = append(out.Worktrees, look(e, w, main))
		}
		return answer{data: out, text: func(p *page) { p.worktrees(out) }}, nil
	})
}

func worktreeVerb(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "worktree", Short: "Make a git work tree for a work item, or end it"}
	c.AddCommand(worktreeNewVerb(e), worktreeDoneVerb(e))
	return group(e, c)
}

// listWorktrees returns the work trees around a directory. The first is the main one.
func listWorktrees(e *Env, dir string) (main thread.Worktree, list []thread.Worktree, err error) {
	if list, err = (threads.Reader{}).List(e, dir); err != nil {
		return main, nil, err
	}
	return list[0], list, nil
}

// look reads one work tree, and the ledger's information about it.
func look(e *Env, w, main thread.Worktree) worktree {
	dir := w.Path.Raw() // raw: a path for git, not shown
	if !w.Missing {
		(threads.Reader{}).Compare(e, &w, main, agents.ProjectFiles(dir))
		w.Busy = files.ProcessesIn(dir)
	}
	item, isFocus := worktreeItem(e, w)
	if isFocus {
		w.Busy = append(w.Busy, model.Text(string(item.AgentID)+" works on "+string(item.Handle)))
	}
	why := w.Review()
	return worktree{
		Path: w.Path, Branch: w.Branch, Main: w.Main, Base: w.Base, Ahead: w.Ahead, Behind: w.Behind, ChangedFiles: w.Git.ChangedFiles,
		Safe: len(why) == 0, Review: why, WorkItemID: item.ID, Handle: item.Handle, Objective: item.Objective, AgentID: item.AgentID,
		line: w.Line(),
	}
}

var handleIn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`wi-[0-9a-z]+`) })

// worktreeItem returns the item for which a work tree was made, and whether it is its agent's current item. The branch or the directory
// names the item, and the item's link confirms it.
func worktreeItem(e *Env, w thread.Worktree) (item model.WorkItem, isFocus bool) {
	for _, name := range []string{w.Branch.Raw(), filepath.Base(w.Path.Raw())} { // raw: compared, not shown
		id, err := resolve(e, handleIn().FindString(name))
		if err != nil {
			continue
		}
		err = read(e, func(r model.Reader) error {
			found, _ := r.Item(id)
			if found.Links.OwnWorktree() == w.Path.Raw() { // raw: compared, not shown
				focus, _ := model.Focus(r, found.AgentID)
				item, isFocus = found, focus.ID == found.ID
			}
			return nil
		})
		if err == nil && item.ID != "" {
			break
		}
	}
	return item, isFocus
}

func worktreeNewVerb(e *Env) *cobra.Command {
	var o worktreeOptions
	c := &cobra.Command{
		Use: "new ID", Short: "Make a git work tree with a branch of its own for a work item",
		Long: "new makes a branch and a work tree beside this repository, both named after the item, and adds vise to\n" +
			"the settings of the agent's program there. When you start the program in that directory, it works as the\n" +
			"item's agent. Git runs with the repository's hooks.",
		Example: "vise worktree new wi-7f3k", ValidArgsFunction: items(e, model.FilterAll),
	}
	o.keyed(c)
	f := c.Flags()
	f.StringVar(&o.dir, "dir", "", "where it lies (default: beside the repository)")
	f.StringVar(&o.branch, "branch", "", "the branch's name (default: after the item)")
	f.StringVar(&o.from, "from", "", "the commit that the branch begins at (default: HEAD)")
	f.StringVar(&o.program, "program", "", "the program that works there, or none (default: the one that the agent is named after)")
	return e.verb(c, func(_ context.Context, args []string) (answer, error) { return newWorktree(e, args[0], o) })
}

// worktreeOptions say where and how to make a work tree.
type worktreeOptions struct {
	mutation
	dir, branch, from, program string
}

func newWorktree(e *Env, ref string, o worktreeOptions) (answer, error) {
	item, err := itemOf(e, ref)
	if err != nil {
		return answer{}, err
	}
	main, list, err := listWorktrees(e, e.dir)
	if err != nil {
		return answer{}, err
	}
	program, err := programFor(item.AgentID, o.program)
	if err != nil {
		return answer{}, err
	}
	dir := main.Path.Raw() + "-" + string(item.Handle) // raw: a path
	if o.dir != "" {
		dir = absolute(e.dir, o.dir)
	}
	there := item.Links.OwnWorktree()
	o.mutation = o.requesting("worktree new", item.ID, dir, o.branch, o.from)
	earlier, _, err := replayed(e, o.mutation)
	if err != nil {
		return answer{}, err
	}
	is := func(w thread.Worktree) bool { return w.Path.Raw() == there && !w.Missing } // raw: compared, not shown
	if i := slices.IndexFunc(list, is); i >= 0 {
		if dir != there {
			return answer{}, model.Refuse(model.CodeRefused, "%s has a work tree: %s", item.Handle, model.Text(there)).
				WithHint("go there, or end it first: vise worktree done %s", item.Handle)
		}
		made := look(e, list[i], main)
		return answer{data: made, warnings: earlier.Warnings, text: func(p *page) { p.madeWorktree(made, item, program) }}, nil
	}
	return makeWorktree(e, item, list, dir, program, o)
}

// makeWorktree makes a work tree at dir beside those in list, sets up a program in it, and links it to the item.
func makeWorktree(e *Env, item model.WorkItem, list []thread.Worktree, dir, program string, o worktreeOptions,
) (answer, error) {
	branch := cmp.Or(o.branch, branchFor(item))
	if err := (threads.Reader{}).AddWorktree(e, e.dir, dir, branch, o.from); err != nil {
		return answer{}, err
	}
	ans := answer{}
	if program != "" {
		if err := installIn(e, program, dir, item.AgentID); err != nil {
			ans.warnings = append(ans.warnings, afterMaking("vise is not in %s's settings: %s", program, fault(err).Message))
		}
	}
	for _, w := range list {
		if other, _ := worktreeItem(e, w); other.AgentID == item.AgentID && other.State == model.Open {
			ans.warnings = append(ans.warnings, afterMaking("%s works in %s too, and has one focus; "+
				"an agent of its own for each: vise new OBJECTIVE --agent NAME", item.AgentID, w.Path))
			break
		}
	}
	link := model.LinkWorkItem{WorkItemID: item.ID, Add: model.Links{Refs: []model.Ref{{Kind: model.RefWorktree, Ref: model.Text(dir)}}}}
	if began := (threads.Reader{}).Head(e, dir); began != "" {
		link.Add.Refs = append(link.Add.Refs, model.BeganAt(dir, began))
	}
	if there := item.Links.OwnWorktree(); there != "" {
		link.Remove.Refs = []model.Ref{{Kind: model.RefWorktree, Ref: model.Text(there)}}
	}
	if _, err := send(e, o.mutation, item.AgentID, link); err != nil {
		return answer{}, fault(err).WithHint("the work tree %s is there, and not linked: vise link %s --ref %s:%s", model.Text(dir),
			item.Handle, model.RefWorktree, model.Text(dir))
	}
	made := look(e, thread.Worktree{Path: model.Text(dir), Branch: model.Text(branch)}, list[0])
	ans.data, ans.text = made, func(p *page) { p.madeWorktree(made, item, program) }
	return ans, nil
}

// afterMaking returns a warning about a failure after the work tree was made.
func afterMaking(format string, args ...any) model.Warning {
	return model.Warning{Kind: model.WarnWorktree, Message: "the work tree is there, but " + fmt.Sprintf(format, args...)}
}

// itemOf returns the item that ref names.
func itemOf(e *Env, ref string) (item model.WorkItem, err error) {
	id, err := resolve(e, ref)
	if err != nil {
		return item, err
	}
	return readOne(e, func(r model.Reader) (model.WorkItem, error) { w, _ := r.Item(id); return w, nil })
}

// branchFor returns an item's branch name: its handle and the first words of its objective.
func branchFor(item model.WorkItem) string {
	const most = 40
	name := string(thread.Slug(item.Objective.Raw())) // raw: a slug has letters, digits and dashes alone
	if len(name) > most {
		name = name[:most]
		name = name[:max(strings.LastIndexByte(name, '-'), 0)]
	}
	return strings.Trim(string(item.Handle)+"-"+name, "-")
}

// programFor returns the program that works as an agent: the requested one, or the one with which the agent's name begins.
func programFor(agent model.AgentID, asked string) (string, error) {
	switch {
	case asked == "none":
		return "", nil
	case asked != "":
		if !slices.Contains(agents.ProjectPrograms, asked) {
			return "", misuse("program", "vise does not know what settings %s has for a project", model.Text(asked)).
				WithHint("use %s, or none", strings.Join(agents.ProjectPrograms, ", "))
		}
		return asked, nil
	}
	for _, p := range agents.ProjectPrograms {
		if string(agent) == p || strings.HasPrefix(string(agent), p+"-") {
			return p, nil
		}
	}
	return "", nil
}

// installIn adds vise to a program's settings for a work tree.
func installIn(e *Env, program, dir string, agent model.AgentID) error {
	o, err := installOptions(e, program, agents.Options{Project: dir})
	if err != nil {
		return err
	}
	o.Agent = string(agent)
	_, err = agents.Install(o)
	return err
}

func (p *page) worktrees(list worktrees) {
	for i, w := range list.Worktrees {
		if i > 0 {
			p.line("")
		}
		verdict := "SAFE"
		switch {
		case w.Removed:
			verdict = "removed"
		case w.Main:
			verdict = "main"
		case !w.Safe:
			verdict = "NEEDS REVIEW"
		}
		p.line("%s  %s  %s", p.strong(verdict), w.Path, w.line)
		if w.WorkItemID != "" {
			p.line("  %s %s · %s", w.Handle, w.Objective, w.AgentID)
		}
		for _, why := range w.Review {
			if !w.Main {
				p.line("  %s", why)
			}
		}
	}
}

func (p *page) madeWorktree(w worktree, item model.WorkItem, program string) {
	p.line("%s is on branch %s, for %s %s", w.Path, w.Branch, item.Handle, item.Objective)
	if program == "" {
		p.line("start the agent there with VISE_AGENT=%s in its environment", item.AgentID)
		return
	}
	cd := model.ShellLine([]string{"cd", w.Path.Raw()}) // raw: quoted for a shell
	p.line("%s works as %s there: %s && %s", program, item.AgentID, model.Text(cd), program)
}
