package files

import (
	"errors"
	"io/fs"
	"os"
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
	if !validIDs(agent, id) {
		return nil, &fault{condition: model.PlanOutsideHome, reason: noSuchID}
	}
	items, err := h.itemsDir(agent)
	if err != nil {
		return nil, err
	}
	defer items.Close()
	return enter(items, string(id))
}

// itemsDir opens the directory that holds an agent's items, under the same guard.
func (h Home) itemsDir(agent model.AgentID) (*os.Root, error) {
	if !model.ValidID(string(agent)) {
		return nil, &fault{condition: model.PlanOutsideHome, reason: noSuchID}
	}
	at, err := h.open()
	if err != nil {
		return nil, faultOf(err)
	}
	for _, name := range aboveItems(agent) {
		next, err := enter(at, name)
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
