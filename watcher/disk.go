package watcher

import (
	"os"

	"vise/model"
	"vise/store/files"
)

// disk is the watcher's access to files.
type disk interface {
	// MakeFile creates an empty file with a new name in a directory, as os.CreateTemp does.
	MakeFile(dir, pattern string) (path string, err error)
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

func (homeDisk) MakeFile(dir, pattern string) (string, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}
