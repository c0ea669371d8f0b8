package files

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"vise/model"
)

// tries is how often a plan is read if it changes during each read.
const tries = 3

// Plan is a plan file as one read found it.
type Plan struct {
	model.PlanArtifact
	// Raw is the whole content from which Hash, Bytes and Preview were made. It is nil unless Condition is ok or not_text.
	Raw []byte
	// Reason says, in vise's words, why Condition is not ok; empty if it is ok.
	Reason string
	// Unsettled is true if the file changed during each of the tries, so a program is writing it now. Condition is then unreadable; Raw is
	// never a mixture of two states.
	Unsettled bool
}

// Plan reads an item's plan. It never fails: Condition says what is wrong with the file. It never waits for the file, reads at most
// model.MaxPlanBytes+1 bytes, and never leaves the item's directory.
func (h Home) Plan(agent model.AgentID, id model.ItemID) Plan {
	dir, err := h.itemDir(agent, id)
	return h.planIn(dir, err, agent, id)
}

// planIn reads the plan in an item's directory, which it closes. err is why the directory could not be opened.
func (h Home) planIn(dir *os.Root, err error, agent model.AgentID, id model.ItemID) (plan Plan) {
	var raw []byte
	var info fs.FileInfo
	if err == nil {
		defer dir.Close()
		raw, info, err = readSettled(dir, planFile)
	}
	var f *fault
	switch {
	case errors.As(err, &f):
		plan = badPlan(agent, id, f)
	case raw != nil:
		plan = goodPlan(agent, id, raw, info)
	default:
		plan = badPlan(agent, id, &fault{condition: model.PlanUnreadable, reason: "is being written"})
		plan.Unsettled = true
	}
	plan.Path = h.PlanPath(agent, id)
	return plan
}

// readSettled reads a plan that does not change meanwhile. raw is nil if it changed during each try.
func readSettled(dir *os.Root, name string) (raw []byte, info fs.FileInfo, err error) {
	return readWhole(dir, name, model.MaxPlanBytes)
}

// readWhole is readSettled for a file of at most so many bytes.
func readWhole(dir *os.Root, name string, most int64) (raw []byte, info fs.FileInfo, err error) {
	for range tries {
		raw, info, settled, err := readOnce(dir, name, most)
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

// badPlan describes a refused plan. It does not repeat an invalid id, which may be anything and would get into paths and onto screens.
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

// readOnce opens a file of the item in dir and reads it between two looks. The second look is at the name again. A file is the item's own
// only if it has exactly one name and the name still leads to it. (A link to a secret also has one name, after the original name is
// removed.) settled is false if the looks differ; the bytes may then belong to no real state, or to no plan.
func readOnce(dir *os.Root, name string, most int64) (raw []byte, info fs.FileInfo, settled bool, err error) {
	f, err := openFile(dir, name)
	if err != nil {
		return nil, nil, false, err
	}
	defer f.Close()
	before, err := f.Stat()
	if err == nil {
		err = refuse(before, most)
	}
	if err == nil {
		raw, err = readBounded(f, before.Size(), most)
	}
	if err != nil {
		return nil, nil, false, faultOf(err)
	}
	awaitRename(dir)
	after, err := dir.Stat(name)
	if err != nil {
		return nil, nil, false, nil
	}
	if err := refuse(after, most); err != nil {
		return nil, nil, false, err
	}
	settled = os.SameFile(before, after) && StatOf(before) == StatOf(after) && int64(len(raw)) == after.Size()
	return raw, after, settled, nil
}

// awaitRename waits until a rename or removal in dir has ended. Meanwhile Linux may still find the file by its name and already count one
// name less. Reading the directory waits for the lock of that operation.
func awaitRename(dir *os.Root) {
	if d, err := dir.Open("."); err == nil {
		_, _ = d.Readdirnames(1)
		d.Close()
	}
}

// openFile opens a file of an item if its name belongs to a file or a link. This check avoids the side effects of opening a named pipe or a
// device; refuse decides after the open.
func openFile(dir *os.Root, name string) (*os.File, error) {
	named, err := dir.Lstat(name)
	if err != nil {
		return nil, faultOf(err)
	}
	isLink := named.Mode()&fs.ModeSymlink != 0
	if !isLink && !named.Mode().IsRegular() {
		return nil, refuse(named, 0)
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		return f, nil
	}
	if isLink && !IsGone(err) && !errors.Is(err, fs.ErrPermission) {
		return nil, &fault{condition: model.PlanOutsideHome, reason: leadsOut}
	}
	return nil, faultOf(err)
}

// refuse returns a fault unless info describes a file whose text may be shown, of at most so many bytes. A plan with two names may be
// another user's secret, so it is not shown either; the copy of a file that is no plan may take it.
func refuse(info fs.FileInfo, most int64) error {
	switch mode := info.Mode(); {
	case !mode.IsRegular():
		return &fault{condition: model.PlanNotRegular, reason: "is " + kind(mode)}
	case links(info) > 1 && most <= model.MaxPlanBytes:
		return &fault{condition: model.PlanNotRegular, reason: hasOtherEnd}
	case info.Size() > most:
		return &fault{condition: model.PlanTooLarge, info: info,
			reason: fmt.Sprintf("has %d bytes; a plan can have %d (%d MiB)", info.Size(), most, most>>20)}
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

// readBounded reads a file that should have size bytes. It reads at most one byte over the limit, even if the file grows meanwhile.
func readBounded(f io.Reader, size, most int64) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := buf.ReadFrom(io.LimitReader(f, most+1))
	return buf.Bytes(), err
}

// mostCopied bounds a file that ReadFile reads.
const mostCopied = 1 << 30

// ReadFile returns the bytes, whatever they are, of an item's plan or of a file that Beside named, and when it was changed. raw is nil
// without an error if there is no such file. A save is compressed, and its time is zero.
func (h Home) ReadFile(agent model.AgentID, id model.ItemID, name string) (raw []byte, changed time.Time, err error) {
	above := below(agent, id)
	if IsSave(name) {
		above = append(above, savesDir)
	}
	dir, err := h.guarded(validIDs(agent, id), above)
	if err != nil {
		return nil, changed, UnlessGone(err)
	}
	defer dir.Close()
	raw, info, err := readWhole(dir, cmp.Or(saveName(name), name, planFile), mostCopied)
	switch {
	case err != nil:
		return nil, changed, UnlessGone(err)
	case raw == nil:
		return nil, changed, errors.New("it is being written")
	case !IsSave(name):
		return raw, info.ModTime().UTC(), nil
	case unpacked(raw, name) == nil:
		return nil, changed, errors.New("its text is not the one that was saved")
	}
	return raw, changed, nil
}

// Items reads the plans of one agent's items one after the other. It opens their directory, and checks its path, only once. It serves one
// list and must not be kept (see Home). It is not safe for concurrent use.
type Items struct {
	home  Home
	agent model.AgentID
	dir   *os.Root
	err   error
}

// Items opens the directory of an agent's items. If that fails, the failure is the condition of each plan. The caller must close it.
func (h Home) Items(agent model.AgentID) *Items {
	dir, err := h.guarded(model.ValidID(string(agent)), aboveItems(agent))
	return &Items{home: h, agent: agent, dir: dir, err: err}
}

// Agent is the agent of the items.
func (s *Items) Agent() model.AgentID { return s.agent }

// Plan is Home.Plan for an item of the agent.
func (s *Items) Plan(id model.ItemID) Plan {
	dir, err := s.open(id)
	return s.home.planIn(dir, err, s.agent, id)
}

func (s *Items) open(id model.ItemID) (*os.Root, error) {
	switch {
	case !validIDs(s.agent, id):
		return nil, &fault{condition: model.PlanOutsideHome, reason: noSuchID}
	case s.err != nil:
		return nil, s.err
	}
	return enter(s.dir, string(id))
}

// Close closes the directory.
func (s *Items) Close() {
	if s.dir != nil {
		s.dir.Close()
	}
}
