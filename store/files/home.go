// Package files reads and writes the files of a vise home safely: an item's plan.md,
// which agents and editors own, and the small files that vise itself replaces.
//
// What lies below agents/ was written by programs that share the operator's uid. A path
// there may be a symbolic link, a named pipe or a directory by the time it is opened, so
// nothing is decided by a name: every look goes through an os.Root and is checked on the
// open file.
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
	// info is of the file that was refused, where it is the item's own; else nil.
	info fs.FileInfo
}

func (f *fault) Error() string { return string(f.condition) + ": " + f.reason }

const (
	leadsOut    = "a symbolic link leads out of the item's directory"
	dirIsLink   = "its directory is a symbolic link"
	notADir     = "its directory is not a directory"
	noSuchID    = "not a valid id"
	hasOtherEnd = "has another name (hard link) elsewhere"
)

// itemDir opens the directory of one item, refusing every symbolic link on the way
// down: a link to another item's directory stays inside the home, yet is not this item.
func (h Home) itemDir(agent model.AgentID, id model.ItemID) (*os.Root, error) {
	return h.guarded(validIDs(agent, id), below(agent, id))
}

// guarded opens a directory below the home that valid ids name.
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

// descend opens directory after directory from the home down, each by step.
func (h Home) descend(names []string, step func(at *os.Root, name string) (*os.Root, error)) (*os.Root, error) {
	// Links above the home, and the home being a link, are the operator's own choice.
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

// enter opens the directory called name in at. The "/." makes the kernel open name with
// O_DIRECTORY, so that a named pipe in its place is refused at once instead of awaited
// for ever. The comparison afterwards, not a look beforehand, is what refuses links.
func enter(at *os.Root, name string) (*os.Root, error) {
	dir, err := at.OpenRoot(name + "/.")
	if err != nil {
		return nil, faultIn(at, name, err)
	}
	named, err := at.Lstat(name)
	var opened fs.FileInfo
	if err == nil {
		opened, err = dir.Stat(".")
	}
	if err == nil && !os.SameFile(named, opened) {
		err = &fault{condition: model.PlanOutsideHome, reason: dirIsLink}
	}
	if err != nil {
		dir.Close()
		return nil, faultOf(err)
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
	case errors.Is(err, fs.ErrNotExist):
		return &fault{condition: model.PlanMissing, reason: "there is no such file"}
	case errors.As(err, &errno):
		return &fault{condition: model.PlanUnreadable, reason: errno.Error()}
	}
	return &fault{condition: model.PlanUnreadable, reason: "cannot be opened"}
}

// planFile is the name of every plan artifact.
const planFile = "plan.md"

// Home is a vise home directory. It holds a path and no descriptor: a home that is
// restored or moved under a running console is then the one that is read.
type Home struct {
	dir     string
	machine *Machine
}

// NewHome is the home at dir, which need not exist yet. A relative dir is resolved once, now.
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

// On is the home on a machine.
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

// ItemsDir is the absolute directory that holds an agent's item directories, empty if
// the id is not valid.
func (h Home) ItemsDir(agent model.AgentID) string {
	if !model.ValidID(string(agent)) {
		return ""
	}
	return filepath.Join(h.dir, "agents", string(agent), "work-items")
}

func validIDs(agent model.AgentID, id model.ItemID) bool {
	return model.ValidID(string(agent)) && model.ValidID(string(id))
}

// below names the directories from the home down to an item's plan.
func below(agent model.AgentID, id model.ItemID) []string {
	return append(aboveItems(agent), string(id))
}

// aboveItems names the directories from the home down to where an agent's items lie.
func aboveItems(agent model.AgentID) []string { return []string{"agents", string(agent), "work-items"} }

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
	return statAfter(info, err)
}

// StatPath looks at any file, following links.
func StatPath(path string) Stat { return statAfter(os.Stat(path)) }

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

func statAfter(info fs.FileInfo, err error) Stat {
	switch {
	case err == nil:
		return StatOf(info)
	case errors.Is(err, fs.ErrNotExist):
		return Stat{Condition: model.PlanMissing}
	}
	return Stat{Condition: model.PlanUnreadable}
}

// StatOf is what the system says of a file that is there.
func StatOf(info fs.FileInfo) Stat {
	s := Stat{Size: info.Size(), Modified: info.ModTime().UnixNano(), Mode: info.Mode()}
	s.Changed, s.Inode, s.Device = identity(info)
	return s
}
