package home

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"vise/model"
	"vise/store/threads"
)

// CheckIn returns c with the present contents of the work tree at dir, in which the checking command ended.
func CheckIn(ctx context.Context, dir string, c model.KeepCheck) model.KeepCheck {
	root, err := filepath.EvalSymlinks(dir)
	if root = threads.FindRoot(root); err != nil || threads.GitDir(root) == "" {
		return c
	}
	contents, now := threads.Reader{}.Contents(ctx, root)
	c.Dir, c.Head, c.Dirty, c.Contents = model.Text(root), now.Head, now.Dirty, contents
	return c
}

// RefreshEdited tells the ledger that files changed in work trees in which an open item was checked, and of its plan.
func (h *Home) RefreshEdited(ctx context.Context, w model.WorkItem, paths []string) error {
	if slices.Contains(paths, h.files.PlanPath(w.AgentID, w.ID)) {
		_ = h.refreshPlan(ctx, model.Envelope{Actor: model.Watcher}, w) // otherwise the item's next change does it
	}
	edited := map[model.Text]bool{}
	for _, path := range paths {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			root := threads.FindRoot(dir)
			if threads.GitDir(root) == "" {
				root = ""
			}
			edited[model.Text(root)] = true
		}
	}
	return h.refreshTrees(ctx, model.Envelope{Actor: model.Watcher}, w, func(x model.CheckSeen) bool { return edited[x.Dir] && !x.Changed })
}

// RefreshTrees writes to the ledger what the work trees in which an item was checked contain now. by names the caller.
func (h *Home) RefreshTrees(ctx context.Context, by model.Envelope, id model.ItemID) error {
	w, err := h.item(ctx, id)
	if err != nil {
		return err
	}
	return h.refreshTrees(ctx, by, w, inTree)
}

// inTree reports whether a check ran in a git work tree. For checks outside one, hooks report the edits.
func inTree(x model.CheckSeen) bool { return x.Dir != "" }

// refreshTrees is RefreshTrees for the checks that about selects.
func (h *Home) refreshTrees(ctx context.Context, by model.Envelope, w model.WorkItem, about func(model.CheckSeen) bool) error {
	if w.State != model.Open || by.Agent != "" && by.Agent != w.AgentID {
		return nil
	}
	dirs := map[model.Text]bool{}
	if err := h.Ledger.View(ctx, func(r model.Reader) error {
		for _, x := range model.EvidenceOf(r, w).Checks {
			if about(x) {
				dirs[x.Dir] = true
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for dir := range dirs {
		contents := "edited " + h.o.Now().UTC().Format(time.RFC3339Nano)
		if dir != "" {
			contents, _ = threads.Reader{}.Contents(ctx, dir.Raw()) // raw: a path to open
		}
		if _, err := h.send(ctx, by, model.RefreshTree{WorkItemID: w.ID, Dir: dir, Contents: contents}); err != nil {
			return err
		}
	}
	return nil
}

// taskChecked keeps the end of an item's task as a check, if the task is one.
func (h *Home) taskChecked(ctx context.Context, by model.Envelope, task *endedTask) []model.Warning {
	if task == nil || task.WorkItemID == "" {
		return nil
	}
	status := task.status()
	c := model.KeepCheck{WorkItemID: task.WorkItemID, Command: lineOf(task.Run.Command), ExitStatus: &status, At: task.end.At}
	is := false
	err := h.Ledger.View(ctx, func(r model.Reader) error {
		is = model.ChecksAnything(r, task.AgentID, c.Command)
		return nil
	})
	if is && err == nil {
		_, err = h.send(ctx, by, CheckIn(ctx, task.Run.Dir.Raw(), c)) // raw: a path to open
	}
	if err != nil {
		return []model.Warning{failed(model.WarnCheckNotKept, "how the task ended is not kept as a check", err)}
	}
	return nil
}

// lineOf returns a task's command as a line of shell.
func lineOf(command []model.Text) model.Text {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = w.Raw() // raw: quoted for a shell
	}
	return model.Text(model.ShellLine(words))
}
