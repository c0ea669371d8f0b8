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
	"os"
	"path/filepath"

	"vise/model"
)

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

// open opens the home itself. Links above it and the home being a link are the
// operator's own choice and are followed.
func (h Home) open() (*os.Root, error) { return os.OpenRoot(h.dir) }

// below names the directories from the home down to an item's plan.
func below(agent model.AgentID, id model.ItemID) []string {
	return append(aboveItems(agent), string(id))
}

// aboveItems names the directories from the home down to where an agent's items lie.
func aboveItems(agent model.AgentID) []string { return []string{"agents", string(agent), "work-items"} }
