package files

import (
	"os"

	"vise/model"
)

// Items reads the plans of one agent's items one after the other. The directory that they
// lie in is opened, and the way to it checked, once: it is for one list, not to be kept
// (see Home). It is not for concurrent use.
type Items struct {
	home  Home
	agent model.AgentID
	dir   *os.Root
	err   error
}

// Items opens the directory of an agent's items. That it cannot be opened is the condition
// of each plan. It must be closed.
func (h Home) Items(agent model.AgentID) *Items {
	dir, err := h.itemsDir(agent)
	return &Items{home: h, agent: agent, dir: dir, err: err}
}

// Agent is whose items they are.
func (s *Items) Agent() model.AgentID { return s.agent }

// Plan is Home.Plan of the agent's item.
func (s *Items) Plan(id model.ItemID) Plan {
	return s.home.described(s.agent, id, func() (*os.Root, error) {
		switch {
		case !validIDs(s.agent, id):
			return nil, &fault{condition: model.PlanOutsideHome, reason: noSuchID}
		case s.err != nil:
			return nil, s.err
		}
		return enter(s.dir, string(id))
	})
}

// Close gives the directory back.
func (s *Items) Close() {
	if s.dir != nil {
		s.dir.Close()
	}
}
