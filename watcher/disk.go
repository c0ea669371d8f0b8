package watcher

import (
	"os"

	"vise/model"
	"vise/store/files"
)

// disk is the watcher's access to files.
type disk interface {
	Plan(model.AgentID, model.ItemID) files.Plan
	Stat(model.AgentID, model.ItemID) files.Stat
	// PlanDir and ItemsDir name the directories to watch; empty for an invalid id.
	PlanDir(model.AgentID, model.ItemID) string
	ItemsDir(model.AgentID) string
	// IsDir reports whether path is a directory, not a link to one.
	IsDir(path string) bool
}

type homeDisk struct{ files.Home }

func (homeDisk) IsDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
