package home

import (
	"context"

	"vise/model"
	"vise/store/threads"
)

// CheckIn is the check that a command which ended in dir was, with the work tree as it is now.
func CheckIn(ctx context.Context, dir string, c model.KeepCheck) model.KeepCheck {
	root := threads.FindRoot(dir)
	if dir == "" || threads.GitDir(root) == "" {
		return c
	}
	contents, now := threads.Reader{}.Contents(ctx, root)
	c.Dir, c.Head, c.Dirty, c.Contents = model.Text(root), now.Head, now.Dirty, contents
	return c
}

// RefreshTrees has the ledger know what the work trees hold now in which an item was checked. by names who asks.
func (h *Home) RefreshTrees(ctx context.Context, by model.Envelope, id model.ItemID) error {
	w, err := h.item(ctx, id)
	if err != nil {
		return err
	}
	return h.refreshTrees(ctx, by, w)
}

func (h *Home) refreshTrees(ctx context.Context, by model.Envelope, w model.WorkItem) error {
	if by.Agent != "" && by.Agent != w.AgentID {
		return nil
	}
	var dirs []model.Text
	if err := h.ledger.View(ctx, func(r model.Reader) error {
		dirs = model.CheckedTrees(r, w)
		return nil
	}); err != nil {
		return err
	}
	for _, dir := range dirs {
		if dir == "" {
			continue // hooks see the edits
		}
		contents, _ := threads.Reader{}.Contents(ctx, dir.Raw()) // raw: a path to open
		by.Key, by.Command = NewKey(), model.RefreshTree{WorkItemID: w.ID, Dir: dir, Contents: contents}
		if _, err := h.send(ctx, by); err != nil {
			return err
		}
	}
	return nil
}

// taskChecked keeps how a task of an item ended as a check, if it is one.
func (h *Home) taskChecked(ctx context.Context, by model.Envelope, task *endedTask) []model.Warning {
	if task == nil || task.WorkItemID == "" {
		return nil
	}
	status := task.status()
	c := model.KeepCheck{WorkItemID: task.WorkItemID, Command: lineOf(task.Run.Command), ExitStatus: &status, At: task.end.At}
	is := false
	err := h.ledger.View(ctx, func(r model.Reader) error {
		is = model.ChecksAnything(r, task.AgentID, c.Command)
		return nil
	})
	if is && err == nil {
		by.Key, by.Command = NewKey(), CheckIn(ctx, task.Run.Dir.Raw(), c) // raw: a path to open
		_, err = h.send(ctx, by)
	}
	if err != nil {
		return []model.Warning{{Kind: model.WarnCheckNotKept, Message: "how the task ended is not kept as a check: " + messageOf(err)}}
	}
	return nil
}

// lineOf is a task's command as a line of shell.
func lineOf(command []model.Text) model.Text {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = w.Raw() // raw: quoted for a shell
	}
	return model.Text(model.ShellLine(words))
}
