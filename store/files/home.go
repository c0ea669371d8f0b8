// Package files reads and writes the files of a vise home safely: an item's plan.md, which
// agents and editors own, and the small files that vise itself replaces.
//
// Programs with the operator's uid write the files below agents/. By the time a path there is
// opened, it may be a symbolic link, a named pipe or a directory. So this package decides
// nothing by a name: it opens each file through an os.Root and checks the open file.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"vise/model"
)

// fault says why a plan cannot be shown. It is an error only inside this package.
type fault struct {
	condition model.PlanCondition
	reason    string
	// info describes the refused file if it is the item's own; otherwise it is nil.
	info fs.FileInfo
}

func (f *fault) Error() string { return string(f.condition) + ": " + f.reason }

func (f *fault) Is(err error) bool { return err == fs.ErrNotExist && f.condition == model.PlanMissing }

const (
	leadsOut    = "a symbolic link leads out of the item's directory"
	dirIsLink   = "its directory is a symbolic link"
	notADir     = "its directory is not a directory"
	noSuchID    = "not a valid id"
	hasOtherEnd = "has another name (hard link) elsewhere"
)

// itemDir opens the directory of one item, and refuses every symbolic link in its path. A
// link to another item's directory stays inside the home, but is not this item.
func (h Home) itemDir(agent model.AgentID, id model.ItemID) (*os.Root, error) {
	return h.guarded(validIDs(agent, id), below(agent, id))
}

// Has reports whether an item has a directory in this home, of whatever kind.
func (h Home) Has(agent model.AgentID, id model.ItemID) bool {
	_, err := os.Lstat(h.PlanDir(agent, id))
	return validIDs(agent, id) && !IsGone(err)
}

// guarded opens a directory below the home, if the ids in its path are valid.
func (h Home) guarded(valid bool, names []string) (*os.Root, error) {
	if !valid {
		return nil, &fault{condition: model.PlanOutsideHome, reason: noSuchID}
	}
	dir, err := h.descend(names, enter)
	if err != nil {
		return nil, faultOf(err)
	}
	return dir, nil
}

// descend opens one directory after another from the home down, each with step.
func (h Home) descend(names []string, step func(at *os.Root, name string) (*os.Root, error)) (*os.Root, error) {
	// The operator may choose links above the home, and a home that is a link.
	at, err := os.OpenRoot(h.dir)
	if err != nil {
		return nil, fmt.Errorf("home: %w", err)
	}
	for _, name := range names {
		next, err := step(at, name)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// enter is Below, with a fault as its error.
func enter(at *os.Root, name string) (*os.Root, error) {
	dir, err := Below(at, name, false)
	if err != nil {
		return nil, faultIn(at, name, err)
	}
	return dir, nil
}

// faultIn explains why the directory name could not be opened.
func faultIn(at *os.Root, name string, err error) error {
	named, lerr := at.Lstat(name)
	switch {
	case lerr != nil:
		return faultOf(lerr)
	case named.Mode()&fs.ModeSymlink != 0:
		return &fault{condition: model.PlanOutsideHome, reason: dirIsLink}
	case !named.IsDir():
		return &fault{condition: model.PlanNotRegular, reason: notADir}
	}
	return faultOf(err)
}

// faultOf turns an error of the file system into a condition.
func faultOf(err error) error {
	var f *fault
	var errno syscall.Errno
	switch {
	case errors.As(err, &f):
		return f
	case IsGone(err):
		return &fault{condition: model.PlanMissing, reason: "there is no such file"}
	case errors.As(err, &errno):
		return &fault{condition: model.PlanUnreadable, reason: errno.Error()}
	}
	return &fault{condition: model.PlanUnreadable, reason: "cannot be opened"}
}

const (
	// planFile is the name of every plan file.
	planFile = "plan.md"
	// agentsDir is the directory below a home that has the agents' directories.
	agentsDir = "agents"
)

// Home is a vise home directory. It holds a path and no descriptor, so that a running console
// reads a home that was restored or moved.
type Home struct {
	dir     string
	machine *Machine
}

// NewHome returns the home at dir, which need not exist yet. It resolves a relative dir once.
func NewHome(dir string) (Home, error) {
	if dir == "" {
		return Home{}, errors.New("home: empty path")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Home{}, fmt.Errorf("home %q: %w", dir, err)
	}
	return Home{dir: abs}, nil
}

// On returns the home on a machine.
func (h Home) On(m *Machine) Home {
	h.machine = m
	return h
}

// Dir is the home's absolute path, empty for the zero Home.
func (h Home) Dir() string { return h.dir }

// PlanDir is the absolute directory of an item's plan, empty if an id is not valid.
func (h Home) PlanDir(agent model.AgentID, id model.ItemID) string {
	if !validIDs(agent, id) {
		return ""
	}
	return filepath.Join(h.ItemsDir(agent), string(id))
}

// PlanPath is the absolute path of an item's plan, empty if an id is not valid.
func (h Home) PlanPath(agent model.AgentID, id model.ItemID) string {
	if !validIDs(agent, id) {
		return ""
	}
	return filepath.Join(h.PlanDir(agent, id), planFile)
}

// ItemsDir is the absolute directory of an agent's item directories, empty if the id is not
// valid.
func (h Home) ItemsDir(agent model.AgentID) string {
	if !model.ValidID(string(agent)) {
		return ""
	}
	return filepath.Join(h.dir, agentsDir, string(agent), "work-items")
}

func validIDs(agent model.AgentID, id model.ItemID) bool {
	return model.ValidID(string(agent)) && model.ValidID(string(id))
}

// below names the directories from the home down to an item's plan.
func below(agent model.AgentID, id model.ItemID) []string {
	return append(aboveItems(agent), string(id))
}

// aboveItems names the directories from the home down to an agent's items.
func aboveItems(agent model.AgentID) []string {
	return []string{agentsDir, string(agent), "work-items"}
}

// Stat tells whether a file may have changed. If two Stats of one path are equal, a new read
// would very likely return the same bytes. Only a read proves it.
type Stat struct {
	// Condition is empty for an existing file; otherwise missing, unreadable or, for an
	// invalid id, outside the home.
	Condition model.PlanCondition
	Size      int64
	// Modified and Changed are in nanoseconds since 1970. Changed is the time of the inode,
	// which no program can set back; it is 0 if the system does not report it.
	Modified, Changed int64
	Inode, Device     uint64
	Mode              fs.FileMode
}

// Stat returns the Stat of an item's plan without opening the file. It takes two
// microseconds, which suits a sweep over many items. It follows a symbolic link, so that a write
// to the link's target is noticed too. Where the link leads is judged when the plan is read.
func (h Home) Stat(agent model.AgentID, id model.ItemID) Stat {
	if !validIDs(agent, id) {
		return Stat{Condition: model.PlanOutsideHome}
	}
	return StatPath(h.PlanPath(agent, id))
}

// StatPath returns the Stat of any file. It follows links.
func StatPath(path string) Stat {
	info, err := os.Stat(path)
	switch {
	case err == nil:
		return StatOf(info)
	case IsGone(err):
		return Stat{Condition: model.PlanMissing}
	}
	return Stat{Condition: model.PlanUnreadable}
}

// StatOf returns the Stat of an existing file.
func StatOf(info fs.FileInfo) Stat {
	s := Stat{Size: info.Size(), Modified: info.ModTime().UnixNano(), Mode: info.Mode()}
	s.Changed, s.Inode, s.Device = identity(info)
	return s
}
