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

// This file and those beside it read the ledger of a Holon agent, to take its WorkItems over. It only
// reads: nothing below the directory it is given is ever written, locked or created.
//
// The ledger is a set of JSONL files in which each line is a whole snapshot of a record
// and the last line of an id counts. What vise has a place for becomes a model record;
// the other fields of a WorkItem stay with it, as JSON, in a Ref of kind holonRefKind.

// holonRefKind is the kind of the Ref that keeps the fields of a record for which a WorkItem
// of vise has none.
const holonRefKind = "holon"

// holonLedger is what one Holon ledger holds.
type holonLedger struct {
	// Dir is the directory of the JSONL files.
	Dir string
	// Agents are the owners of what was found, by id.
	Agents []model.Import
	Counts holonCounts
	// Notes say what came over in another shape: shortened to fit vise's limits, say.
	Notes []string
	// Left is what does not come over.
	Left []leftBehind
}

// leftBehind is what an import leaves where it is: how much of what, and why.
type leftBehind struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Why   string `json:"why"`
}

// holonCounts tell what a ledger holds.
type holonCounts struct {
	WorkItems int `json:"work_items"`
	Open      int `json:"open"`
	Completed int `json:"completed"`
	// Superseded counts the older snapshots of WorkItems.
	Superseded  int `json:"superseded_snapshots"`
	Waits       int `json:"waits"`
	ActiveWaits int `json:"active_waits"`
	// Timers are among the waits; Messages wait for a turn.
	Timers   int `json:"timers"`
	Tasks    int `json:"tasks"`
	Running  int `json:"running_tasks"`
	Messages int `json:"messages"`
	// InlinePlans come from the records, PlanFiles from plan.md files of the agent's home.
	InlinePlans int `json:"inline_plans"`
	PlanFiles   int `json:"plan_files"`
	// KeptFields counts the WorkItems with fields that vise has no place for.
	KeptFields int `json:"items_with_kept_fields"`
}

// readHolon reads the Holon ledger of an agent's directory: dir/.holon/ledger, dir/ledger, or
// dir itself. A malformed line is an error that names its file and number; nothing of the
// ledger is returned then.
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

// holonLayouts are where a ledger and the agent's state may lie below the directory given.
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

// otherHolonAgents names agents' directories below dir, if it is a home of several.
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

// holonReader is one reading under way.
type holonReader struct {
	ctx    context.Context
	home   holonHome
	ledger holonLedger
	agents map[model.AgentID]*model.Import
	// owner and completed know the items that were read.
	owner     map[model.ItemID]model.AgentID
	completed map[model.ItemID]bool
	// reports are the newest completion reports that stand outside of the items.
	reports map[model.ItemID]model.Text
	// kept are the fields for which vise has no place, those of an item's waits too.
	kept map[model.ItemID]map[string]json.RawMessage
	// left is where what is left stands in ledger.Left, which has the counts.
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

// leave says that the import brings n of what not, and why.
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

// plan is an item's plan: its file, as far as that lies in the agent's directory and is text,
// else the text in older records, which is stale wherever there is a file.
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

// planFile reads the plan at its only place in an agent's directory. The path that the
// record tells is not followed: it may be of another machine, or lead anywhere.
func (r *holonReader) planFile(id model.ItemID) (model.Text, error) {
	raw, err := r.small(path.Join("work-items", string(id), "plan.md"), model.MaxPlanBytes)
	if err == nil && !utf8.Valid(raw) {
		err = errors.New("not text")
	}
	return model.Text(raw), err
}

// small is the content of a regular file that is not larger than limit.
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

// open opens a regular file; nothing else is waited for.
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

// readReports finds the completion reports of items whose records do not carry them: the
// newest delivery summary, else the newest result brief.
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
