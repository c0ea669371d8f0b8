package files

import (
	"errors"
	"io/fs"
	"os"

	"vise/model"
)

// Stat tells whether a file may have changed: two equal Stats of one path mean that a
// new read would very likely find the same bytes. It proves nothing; only a read does.
type Stat struct {
	// Condition is empty for a file that is there, else missing or unreadable.
	Condition model.PlanCondition
	Size      int64
	// Modified and Changed (the inode's own time, which no program can set back) are in
	// nanoseconds since 1970; Changed is 0 where the system does not tell it.
	Modified, Changed int64
	Inode, Device     uint64
	Mode              fs.FileMode
}

// Stat looks at an item's plan without opening it: two microseconds, for a sweep over
// many. A symbolic link is resolved inside the item's directory, so that a write to its
// target is seen too.
func (h Home) Stat(agent model.AgentID, id model.ItemID) Stat {
	if !validIDs(agent, id) {
		return Stat{Condition: model.PlanOutsideHome}
	}
	info, err := os.Lstat(h.PlanPath(agent, id))
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = h.statLink(agent, id, info)
	}
	if err != nil {
		return missingStat(err)
	}
	return statOf(info)
}

// StatPath looks at any file, following links.
func StatPath(path string) Stat {
	info, err := os.Stat(path)
	if err != nil {
		return missingStat(err)
	}
	return statOf(info)
}

// statLink looks at what the link plan.md leads to, or at the link if it leads out.
func (h Home) statLink(agent model.AgentID, id model.ItemID, link fs.FileInfo) (fs.FileInfo, error) {
	dir, err := h.itemDir(agent, id)
	if err != nil {
		return link, nil
	}
	defer dir.Close()
	info, err := dir.Stat(planFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return link, nil
	}
	return info, err
}

func missingStat(err error) Stat {
	if errors.Is(err, fs.ErrNotExist) {
		return Stat{Condition: model.PlanMissing}
	}
	return Stat{Condition: model.PlanUnreadable}
}

func statOf(info fs.FileInfo) Stat {
	s := Stat{Size: info.Size(), Modified: info.ModTime().UnixNano(), Mode: info.Mode()}
	s.Changed, s.Inode, s.Device = identity(info)
	return s
}
