package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"vise/model"
)

// tries bounds how often a plan is read again because it changed while it was read.
const tries = 3

// Plan is a plan file as one read found it.
type Plan struct {
	model.PlanArtifact
	// Raw is the whole content that Hash, Bytes and Preview were made from; nil unless
	// Condition is ok or not_text.
	Raw []byte
	// Reason says, in vise's words, why Condition is not ok; empty if it is.
	Reason string
	// Unsettled is true if the file changed during each of the bounded number of reads:
	// somebody is writing it now. Condition is then unreadable, never a torn text.
	Unsettled bool
}

// Plan reads an item's plan. It never fails: what is wrong with the file is its
// Condition. It never blocks on what lies there, reads at most model.MaxPlanBytes+1
// bytes, and never leaves the item's directory.
func (h Home) Plan(agent model.AgentID, id model.ItemID) Plan {
	return h.described(agent, id, func() (*os.Root, error) { return h.itemDir(agent, id) })
}

// described reads the plan in the directory that open gives.
func (h Home) described(agent model.AgentID, id model.ItemID, open func() (*os.Root, error)) Plan {
	plan, err := readPlan(agent, id, open)
	var f *fault
	if errors.As(err, &f) {
		plan = badPlan(agent, id, f)
	}
	plan.Path = h.PlanPath(agent, id)
	return plan
}

func readPlan(agent model.AgentID, id model.ItemID, open func() (*os.Root, error)) (Plan, error) {
	dir, err := open()
	if err != nil {
		return Plan{}, err
	}
	defer dir.Close()
	raw, info, err := readSettled(dir, planFile)
	if err != nil {
		return Plan{}, err
	}
	if raw != nil {
		return goodPlan(agent, id, raw, info), nil
	}
	plan := badPlan(agent, id, &fault{condition: model.PlanUnreadable, reason: "is being written"})
	plan.Unsettled = true
	return plan, nil
}

// readSettled reads a file that nobody writes meanwhile; raw is nil if somebody always did.
func readSettled(dir *os.Root, name string) (raw []byte, info fs.FileInfo, err error) {
	for range tries {
		raw, info, settled, err := readOnce(dir, name)
		if err != nil || settled {
			return raw, info, err
		}
	}
	return nil, nil, nil
}

func goodPlan(agent model.AgentID, id model.ItemID, raw []byte, info fs.FileInfo) Plan {
	plan := Plan{PlanArtifact: model.NewPlanArtifact(agent, id, raw, info.ModTime()), Raw: raw}
	if plan.Condition == model.PlanNotText {
		plan.Reason = "is not UTF-8 text"
	}
	return plan
}

// badPlan describes a refused plan. An id that is not valid is not repeated: it may be
// anything, and ends up in paths and on screens.
func badPlan(agent model.AgentID, id model.ItemID, f *fault) Plan {
	if !validIDs(agent, id) {
		agent, id = "", ""
	}
	plan := Plan{PlanArtifact: model.BadPlanArtifact(agent, id, f.condition), Reason: f.reason}
	if f.info != nil {
		plan.Bytes, plan.UpdatedAt = f.info.Size(), f.info.ModTime().UTC()
	}
	return plan
}

// readOnce opens the plan, or another file of the item, in dir and reads it between two looks. The second look is at
// the name again: only a file that has one name, and that name is this one, is the
// item's own (a link to a secret has one name too, once the link is gone). settled is
// false if the looks differ: the bytes may then be of no real state, or of no plan.
func readOnce(dir *os.Root, name string) (raw []byte, info fs.FileInfo, settled bool, err error) {
	f, err := openFile(dir, name)
	if err != nil {
		return nil, nil, false, err
	}
	defer f.Close()
	before, err := f.Stat()
	if err == nil {
		err = refuse(before)
	}
	if err == nil {
		raw, err = readBounded(f, before.Size())
	}
	if err != nil {
		return nil, nil, false, faultOf(err)
	}
	awaitRename(dir)
	after, err := dir.Stat(name)
	if err != nil {
		return nil, nil, false, nil
	}
	if err := refuse(after); err != nil {
		return nil, nil, false, err
	}
	settled = os.SameFile(before, after) && StatOf(before) == StatOf(after) && int64(len(raw)) == after.Size()
	return raw, after, settled, nil
}

// awaitRename returns when a rename or removal that is under way in dir has ended. While
// one lasts, Linux may still find the file by its name and already count one name less;
// reading the directory waits for the lock that it holds.
func awaitRename(dir *os.Root) {
	if d, err := dir.Open("."); err == nil {
		_, _ = d.Readdirnames(1)
		d.Close()
	}
}

// openFile opens a file of an item if it looks like a file or a link to one. The look spares a
// named pipe or a device the side effects of being opened; refuse decides.
func openFile(dir *os.Root, name string) (*os.File, error) {
	named, err := dir.Lstat(name)
	if err != nil {
		return nil, faultOf(err)
	}
	isLink := named.Mode()&fs.ModeSymlink != 0
	if !isLink && !named.Mode().IsRegular() {
		return nil, refuse(named)
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		return f, nil
	}
	if isLink && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return nil, &fault{condition: model.PlanOutsideHome, reason: leadsOut}
	}
	return nil, faultOf(err)
}

// refuse says what an open file is, if it is not one whose text may be shown. A file
// with two names may be another's secret under this one, so it is not shown either.
func refuse(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case !mode.IsRegular():
		return &fault{condition: model.PlanNotRegular, reason: "is " + kind(mode)}
	case links(info) > 1:
		return &fault{condition: model.PlanNotRegular, reason: hasOtherEnd}
	case info.Size() > model.MaxPlanBytes:
		return &fault{condition: model.PlanTooLarge, info: info,
			reason: fmt.Sprintf("has more than %d MiB", model.MaxPlanBytes>>20)}
	}
	return nil
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "not a regular file"
}

// readBounded reads a file that should have size bytes, and never more than one byte
// over the limit, however it grows meanwhile.
func readBounded(f io.Reader, size int64) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := buf.ReadFrom(io.LimitReader(f, model.MaxPlanBytes+1))
	return buf.Bytes(), err
}

// ReadPlan is the whole text of an item's plan and since when it is so, nil where nothing is
// that may be read as a plan. A plan that is being written is what it is a moment later.
func (h Home) ReadPlan(agent model.AgentID, id model.ItemID) (raw []byte, changed time.Time) {
	p := h.Plan(agent, id)
	if p.Unsettled {
		p = h.Plan(agent, id)
	}
	return p.Raw, p.UpdatedAt
}

// reports are the names of the reports that are kept whole beside an item's plan.
func (h Home) reports(agent model.AgentID, id model.ItemID) []string {
	dir, err := h.itemDir(agent, id)
	if err != nil {
		return nil
	}
	defer dir.Close()
	found, _ := fs.ReadDir(dir.FS(), ".") // what cannot be listed is none
	var names []string
	for _, e := range found {
		if model.IsReportFile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// readReport is ReadPlan for a report that is kept whole.
func (h Home) readReport(agent model.AgentID, id model.ItemID, name string) (raw []byte, changed time.Time) {
	dir, err := h.itemDir(agent, id)
	if err != nil || !model.IsReportFile(name) {
		return nil, changed
	}
	defer dir.Close()
	raw, info, err := readSettled(dir, name)
	if err != nil || raw == nil {
		return nil, changed
	}
	return raw, info.ModTime().UTC()
}

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
	dir, err := h.guarded(model.ValidID(string(agent)), aboveItems(agent))
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
