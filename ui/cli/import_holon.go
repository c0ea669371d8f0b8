package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"vise/model"
)

// This file and the import_holon_*.go files read the ledger of a Holon agent, to take its work items over. They only read: they never
// write, lock or create anything below the directory.
//
// The ledger is a set of JSONL files. Each line is a whole snapshot of a record, and the last line with an id counts. Fields that vise has
// become a model record. The other fields of a work item are kept with it as JSON, in a Ref of kind holonRefKind.

// holonRefKind is the kind of the Ref that keeps the fields of a record that a work item of vise does not have.
const holonRefKind = "holon"

// holonLedger is the content of one Holon ledger.
type holonLedger struct {
	// Dir is the directory of the JSONL files.
	Dir string
	// Agents are the owners of the records, by id.
	Agents []model.Import
	Counts holonCounts
	// Notes say what was changed during the import, for example a text that was shortened to vise's limits.
	Notes []string
	// Left is what is not imported.
	Left []leftBehind
}

// leftBehind is something that an import does not take over: its name, its count, and the reason.
type leftBehind struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Why   string `json:"why"`
}

// holonCounts count what a ledger holds.
type holonCounts struct {
	WorkItems int `json:"work_items"`
	Open      int `json:"open"`
	Completed int `json:"completed"`
	// Superseded counts the older snapshots of work items.
	Superseded  int `json:"superseded_snapshots"`
	Waits       int `json:"waits"`
	ActiveWaits int `json:"active_waits"`
	// Timers are also counted as waits. Messages wait for a turn.
	Timers   int `json:"timers"`
	Tasks    int `json:"tasks"`
	Running  int `json:"running_tasks"`
	Messages int `json:"messages"`
	// InlinePlans come from the records, PlanFiles from plan.md files in the agent's home.
	InlinePlans int `json:"inline_plans"`
	PlanFiles   int `json:"plan_files"`
	// KeptFields counts the work items with fields that vise does not have.
	KeptFields int `json:"items_with_kept_fields"`
}

// readHolon reads the Holon ledger of an agent's directory: dir/.holon/ledger, dir/ledger, or dir itself. A malformed line is an error that
// names its file and number. Then readHolon returns nothing of the ledger.
func readHolon(ctx context.Context, dir string) (holonLedger, error) {
	home, err := findHolon(dir)
	if err != nil {
		return holonLedger{}, err
	}
	defer home.root.Close()
	r := &holonReader{ctx: ctx, home: home, left: map[leftBehind]int{}, agents: map[model.AgentID]*model.Import{},
		reports: map[model.ItemID]model.Text{}, kept: map[model.ItemID]map[string]json.RawMessage{}}
	r.ledger.Dir = filepath.Join(dir, filepath.FromSlash(home.ledger))
	for _, step := range []func() error{r.readReports, r.readItems, r.readTasks, r.readWaits, r.readTimers, r.readState, r.readMessages,
		r.countOthers} {
		if err := step(); err != nil {
			return holonLedger{}, err
		}
	}
	r.attachKept()
	for _, id := range slices.Sorted(maps.Keys(r.agents)) {
		r.ledger.Agents = append(r.ledger.Agents, *r.agents[id])
	}
	return r.ledger, nil
}

// holonHome is an agent's directory, opened so that no link in it leads out of it.
type holonHome struct {
	root *os.Root
	// ledger and states are paths below root, with slashes.
	ledger string
	states []string
}

// holonLayouts are the places of a ledger and the agent's state below the given directory.
var holonLayouts = []holonHome{
	{ledger: ".holon/ledger", states: []string{".holon/state/agent.json"}},
	{ledger: "ledger", states: []string{"state/agent.json", "agent.json"}},
}

func findHolon(dir string) (holonHome, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return holonHome{}, model.Refuse(model.CodeNotFound, "no Holon home at %s", model.Text(dir)).Because(err).At("dir").
			WithHint("name the directory that holds .holon/ledger or ledger")
	}
	isThere := func(name string) bool { _, err := root.Stat(name); return err == nil }
	for _, h := range holonLayouts {
		if isThere(h.ledger+"/.") || slices.ContainsFunc(h.states, isThere) {
			h.root = root
			return h, nil
		}
	}
	defer root.Close()
	return holonHome{}, model.Refuse(model.CodeNotFound, "no Holon ledger in %s: neither .holon/ledger nor ledger is there",
		model.Text(dir)).At("dir").WithHint("%s", otherHolonAgents(dir))
}

// otherHolonAgents names the agents' directories below dir, if dir is a home with several agents.
func otherHolonAgents(dir string) string {
	found, _ := filepath.Glob(filepath.Join(dir, "agents", "*", ".holon", "ledger"))
	if len(found) == 0 {
		return "name the directory that holds .holon/ledger or ledger"
	}
	for i, path := range found {
		found[i] = model.Text(filepath.Dir(filepath.Dir(path))).String()
	}
	return "import an agent at a time: " + strings.Join(found, ", ")
}

// holonReader reads one ledger.
type holonReader struct {
	ctx    context.Context
	home   holonHome
	ledger holonLedger
	agents map[model.AgentID]*model.Import
	// owner and completed are about the items that were read.
	owner     map[model.ItemID]model.AgentID
	completed map[model.ItemID]bool
	// reports are the newest completion reports that are stored outside the items.
	reports map[model.ItemID]model.Text
	// kept are the fields that vise does not have, including those of an item's waits.
	kept map[model.ItemID]map[string]json.RawMessage
	// left maps each entry to its index in ledger.Left, which has the counts.
	left map[leftBehind]int
}

func (r *holonReader) agent(id model.AgentID) *model.Import {
	a, ok := r.agents[id]
	if !ok {
		a = &model.Import{AgentID: id}
		r.agents[id] = a
	}
	return a
}

// leave records that the import does not take over n things, and why.
func (r *holonReader) leave(what string, n int, why string) {
	kind := leftBehind{What: what, Why: why}
	i, ok := r.left[kind]
	if !ok {
		i = len(r.ledger.Left)
		r.left[kind] = i
		r.ledger.Left = append(r.ledger.Left, kind)
	}
	r.ledger.Left[i].Count += n
}

// plan returns an item's plan. It is the plan file, if that is in the agent's directory and is text. Otherwise it is the text of older
// records, which is out of date if there is a file.
func (r *holonReader) plan(rec *holonRecord, id model.ItemID) model.Text {
	var inline model.Text
	rec.take("plan", &inline)
	text, err := r.planFile(id)
	if err == nil {
		r.ledger.Counts.PlanFiles++
		delete(rec.fields, "plan_artifact")
		if inline != "" && inline != text {
			r.leave(string(id)+": the plan's text in its record", 1, "plan.md is there, and counts")
		}
		return text
	}
	if _, described := rec.fields["plan_artifact"]; described || !errors.Is(err, fs.ErrNotExist) {
		r.leave(string(id)+": plan.md", 1, "not found, or not a file of UTF-8 text of at most 8 MiB; what the record tells of it is kept")
	}
	if len(inline) > model.MaxPlanBytes {
		r.leave(string(id)+": the plan's text in its record", 1, "it is larger than 8 MiB")
		return ""
	}
	if inline != "" {
		r.ledger.Counts.InlinePlans++
	}
	return inline
}

// planFile reads the plan at its fixed place in an agent's directory. It does not follow the path in the record, which can be from another
// machine or lead anywhere.
func (r *holonReader) planFile(id model.ItemID) (model.Text, error) {
	raw, err := r.small(path.Join("work-items", string(id), "plan.md"), model.MaxPlanBytes)
	if err == nil && !utf8.Valid(raw) {
		err = errors.New("not text")
	}
	return model.Text(raw), err
}

// small returns the content of a regular file that is not larger than limit.
func (r *holonReader) small(name string, limit int64) ([]byte, error) {
	f, err := r.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = errors.New("too large")
	}
	return raw, err
}

// open opens a regular file. It does not wait on other kinds of files.
func (r *holonReader) open(name string) (*os.File, error) {
	f, err := r.home.root.OpenFile(name, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, errors.New("not a regular file"))
	}
	return f, nil
}

// readReports finds the completion reports of items whose records do not have them: the newest delivery summary, else the newest result
// brief.
func (r *holonReader) readReports() error {
	for _, file := range []string{"briefs.jsonl", "delivery_summaries.jsonl"} {
		newest := map[model.ItemID]time.Time{}
		err := r.lines(file, func(_ int, line []byte) error {
			var b struct {
				Kind       string       `json:"kind"`
				WorkItemID model.ItemID `json:"work_item_id"`
				Text       model.Text   `json:"text"`
				CreatedAt  time.Time    `json:"created_at"`
			}
			if err := json.Unmarshal(line, &b); err != nil {
				return err
			}
			isReport := b.Kind == "" || b.Kind == "result"
			if isReport && b.WorkItemID != "" && b.Text != "" && !b.CreatedAt.Before(newest[b.WorkItemID]) {
				newest[b.WorkItemID], r.reports[b.WorkItemID] = b.CreatedAt, b.Text
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
