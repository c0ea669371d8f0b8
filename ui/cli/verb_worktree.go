package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"vise/model"
	"vise/model/thread"
	"vise/store/files"
	"vise/store/threads"
	"vise/ui/agents"
)

// git reads repositories by the program git.
var git threads.Reader

// worktrees is the data of list.
type worktrees struct {
	Worktrees []worktree `json:"worktrees"`
}

// worktree is a work tree, and whether it is safe to remove.
type worktree struct {
	thread.Worktree
	ChangedFiles []model.Text `json:"changed_files,omitempty"`
	// Safe means that its removal loses nothing. Why is why it is not safe.
	Safe       bool          `json:"safe"`
	Why        []model.Text  `json:"review,omitempty"`
	WorkItemID model.ItemID  `json:"work_item_id,omitempty"`
	Handle     model.Handle  `json:"handle,omitempty"`
	Objective  model.Text    `json:"objective,omitempty"`
	AgentID    model.AgentID `json:"agent_id,omitempty"`
	Removed    bool          `json:"removed,omitempty"`
}

func worktreeListVerb() verb {
	return verb{
		use: "list", short: "Show the repository's git work trees, and which are safe to remove",
		long: `list says SAFE of a work tree where nothing would be lost: no changed file, no ignored file (but what is in
` + strings.Join(thread.Rebuilt, ", ") + `), no commit that the branch of the
main work tree lacks (merged, rebased or squashed counts), no process in it (on Linux), no agent's focus.
Of any other it says NEEDS REVIEW, and why. It removes nothing.`,
		example: "vise worktree list",
		who:     anybody,
		run: func(e *Env) (answer, error) {
			list, err := git.List(e, e.dir)
			if err != nil {
				return nil, err
			}
			out := worktrees{Worktrees: []worktree{}}
			for _, w := range list {
				out.Worktrees = append(out.Worktrees, look(e, w, list[0]))
			}
			return answerOf(out, (*page).worktrees), nil
		},
	}
}

func worktreeVerb() verb {
	return verb{
		use: "worktree", short: "Make a git work tree for a work item, list them, end one",
		verbs: []verb{worktreeListVerb(), worktreeNewVerb(), worktreeDoneVerb()},
	}
}

// look reads one work tree, and the ledger's information about it.
func look(e *Env, w, main thread.Worktree) worktree {
	dir := w.Path.Raw() // raw: a path for git, not shown
	if !w.Missing {
		git.Compare(e, &w, main, agents.ProjectFiles(dir))
		w.Busy = files.ProcessesIn(dir)
	}
	item, isFocus := worktreeItem(e, w)
	if isFocus {
		w.Busy = append(w.Busy, model.Text(string(item.AgentID)+" works on "+string(item.Handle)))
	}
	why := w.Review()
	return worktree{
		Worktree: w, ChangedFiles: w.Git.ChangedFiles, Safe: len(why) == 0, Why: why,
		WorkItemID: item.ID, Handle: item.Handle, Objective: item.Objective, AgentID: item.AgentID,
	}
}

var handleIn = regexp.MustCompile(`wi-[0-9a-z]+`)

// worktreeItem returns the item for which a work tree was made, and whether it is its agent's current item. The branch or the directory
// names the item, and the item's link confirms it.
func worktreeItem(e *Env, w thread.Worktree) (item model.WorkItem, isFocus bool) {
	for _, name := range []string{w.Branch.Raw(), filepath.Base(w.Path.Raw())} { // raw: compared, not shown
		id, err := resolve(e, handleIn.FindString(name))
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

func worktreeNewVerb() verb {
	var o worktreeOptions
	return verb{
		use: "new ID", short: "Make a git work tree with a branch of its own for a work item",
		long: `new makes a branch and a work tree beside this repository, both named after the item, and adds vise to
the settings of the agent's program there. When you start the program in that directory, it works as the
item's agent. Git runs with the repository's hooks.`,
		example: "vise worktree new wi-7f3k",
		keyed:   true,
		flags: flags{
			{"dir", &o.dir, "where it lies (default: beside the repository)"},
			{"branch", &o.branch, "the branch's name (default: after the item)"},
			{"from", &o.from, "the commit that the branch begins at (default: HEAD)"},
			{"program", &o.program, "the program that works there, or none (default: the one that the agent is named after)"},
		},
		run: func(e *Env) (answer, error) { return newWorktree(e, e.words[0], o) },
	}
}

// worktreeOptions say where and how to make a work tree.
type worktreeOptions struct {
	dir, branch, from, program string
}

func newWorktree(e *Env, ref string, o worktreeOptions) (answer, error) {
	item, err := itemOf(e, ref)
	if err != nil {
		return nil, err
	}
	list, err := git.List(e, e.dir)
	if err != nil {
		return nil, err
	}
	program, err := programFor(item.AgentID, o.program)
	if err != nil {
		return nil, err
	}
	dir := threads.Beside(list, string(item.Handle))
	if o.dir != "" {
		dir = absolute(e.dir, o.dir)
	}
	there := item.Links.OwnWorktree()
	earlier, _, err := replayed(e, "worktree new", item.ID, dir, o.branch, o.from)
	if err != nil {
		return nil, err
	}
	if i := threads.IndexOf(list, there); i >= 0 {
		if dir != there {
			return nil, refuse("%s has a work tree: %s", item.Handle, there).
				WithHint("go there, or end it first: vise worktree done %s", item.Handle)
		}
		made := look(e, list[i], list[0])
		return answered(made, func(p *page) { p.madeWorktree(made, item, program) }).warned(earlier.Warnings), nil
	}
	return makeWorktree(e, item, list, dir, program, o)
}

// makeWorktree makes a work tree at dir beside those in list, sets up a program in it, and links it to the item.
func makeWorktree(e *Env, item model.WorkItem, list []thread.Worktree, dir, program string, o worktreeOptions,
) (answer, error) {
	branch := cmp.Or(o.branch, branchFor(item))
	if err := git.AddWorktree(e, e.dir, dir, branch, o.from); err != nil {
		return nil, err
	}
	var warnings []model.Warning
	but := func(format string, args ...any) {
		said := "the work tree is there, but " + fmt.Sprintf(format, args...)
		warnings = append(warnings, model.Warning{Kind: model.WarnWorktree, Message: said})
	}
	if err := agents.SetWorktreeAgent(dir, item.AgentID); err != nil {
		but("its agent is not kept: %s", model.Text(err.Error()))
	}
	if program != "" {
		if err := installIn(e, program, dir, item.AgentID); err != nil {
			but("vise is not in %s's settings: %s", program, fault(err).Message)
		}
	}
	for _, w := range list {
		if other, _ := worktreeItem(e, w); other.AgentID == item.AgentID && other.State == model.Open {
			but("%s works in %s too, and has one focus; an agent of its own for each: vise new OBJECTIVE --agent NAME", item.AgentID,
				w.Path)
			break
		}
	}
	link := model.LinkWorkItem{WorkItemID: item.ID, Add: linksTo(dir, git.Head(e, dir))}
	if there := item.Links.OwnWorktree(); there != "" {
		link.Remove = linksTo(there, "")
	}
	if _, err := send(e, item.AgentID, link); err != nil {
		return nil, fault(err).WithHint("the work tree %s is there, and not linked: vise link %s --ref %s:%s", dir,
			item.Handle, model.RefWorktree, dir)
	}
	made := look(e, thread.Worktree{Path: model.Text(dir), Branch: model.Text(branch)}, list[0])
	return answered(made, func(p *page) { p.madeWorktree(made, item, program) }).warned(warnings), nil
}

// linksTo are an item's links to its work tree, and to the commit at which the work began.
func linksTo(dir, began string) (out model.Links) {
	out.Refs = []model.Ref{{Kind: model.RefWorktree, Ref: model.Text(dir)}}
	if began != "" {
		out.Refs = append(out.Refs, model.BeganAt(dir, began))
	}
	return out
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
			return "", misuse("program", "vise does not know what settings %s has for a project", asked).
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

// installIn adds vise to a program's settings for a work tree. They name the agent only if they named another one.
func installIn(e *Env, program, dir string, agent model.AgentID) error {
	o, err := installOptions(e, program, agents.Options{Project: dir})
	if err != nil {
		return err
	}
	o.Agent = ""
	in, err := agents.Install(o)
	if o.Agent = string(agent); err == nil && in.Agent != o.Agent {
		_, err = agents.Install(o)
	}
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
		p.line("%s  %s  %s", p.strong(verdict), w.Path, w.Line())
		if w.WorkItemID != "" {
			p.line("  %s %s · %s", w.Handle, w.Objective, w.AgentID)
		}
		for _, why := range w.Why {
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
	p.say("%s works as %s there: %s && %s", program, item.AgentID, cd, program)
}

func worktreeDoneVerb() verb {
	var remove bool
	return verb{
		use: "done ID", short: "Say what is unmerged in a work item's work tree, and remove it on request",
		long: `done says whether the work tree of an item is SAFE to remove, or NEEDS REVIEW, and why. With --remove it removes
one that is safe, with its branch and what vise put into it; it never removes another one.`,
		example: "vise worktree done wi-7f3k",
		keyed:   true,
		flags:   flags{{"remove", &remove, "remove it, and its branch, if it is safe"}},
		run: func(e *Env) (answer, error) {
			item, err := itemOf(e, e.words[0])
			if err != nil {
				return nil, err
			}
			dir := item.Links.OwnWorktree()
			if dir == "" {
				return nil, notFound("%s has no work tree", item.Handle).
					WithHint("vise worktree new %s makes one; vise worktree list lists those of a repository", item.Handle)
			}
			from := e.dir
			if exists(dir) {
				from = dir
			}
			list, err := git.List(e, from)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(list, func(w thread.Worktree) bool { return w.Path.Raw() == dir }) // raw: compared, not shown
			if i < 0 {
				return nil, notFound("%s is no work tree of %s any more", dir, list[0].Path).
					WithHint("vise link --remove %s --ref %s:%s forgets it", item.Handle, model.RefWorktree, dir)
			}
			out := look(e, list[i], list[0])
			if remove {
				if !out.Safe {
					return nil, refuse("the work tree of %s needs review: %s", item.Handle, strings.Join(as[string](out.Why), "; ")).
						WithHint("settle that, or remove it yourself: git worktree remove %s", out.Path)
				}
				if err := removeWorktree(e, list[0], out); err != nil {
					return nil, err
				}
				out.Removed = true
				unlink := model.LinkWorkItem{WorkItemID: item.ID, Remove: linksTo(dir, item.Links.Began(dir))}
				if _, err := send(e, item.AgentID, unlink); err != nil {
					return nil, err
				}
			}
			return answered(out, func(p *page) { p.worktrees(worktrees{[]worktree{out}}) }), nil
		},
	}
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
	return git.RemoveWorktree(e, main.Path.Raw(), w.Path.Raw(), w.Branch.Raw()) // raw: for git
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !files.IsGone(err)
}
