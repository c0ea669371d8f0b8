package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
)

// plan is the data of plan and its subcommands.
type plan struct {
	itemName
	PlanStatus model.PlanStatus   `json:"plan_status"`
	Plan       model.PlanArtifact `json:"plan_artifact"`
	// Text is the whole file, in plan show, or its text at Save. Todos are from the same time.
	Text  model.Text      `json:"text,omitempty"`
	Save  *model.PlanSave `json:"save,omitempty"`
	Todos []model.Todo    `json:"todo_list,omitempty"`
	// Reason is why the file cannot be shown.
	Reason string `json:"reason,omitempty"`
}

// itemName is what answers name a work item by.
type itemName struct {
	WorkItemID model.ItemID `json:"work_item_id"`
	Handle     model.Handle `json:"handle"`
}

func planVerb() verb {
	return verb{
		use: "plan", short: "Find, read and edit a work item's plan.md; go through its saves",
		verbs: []verb{
			{use: "path ID", short: "Print where the plan file is", example: "vise plan path wi-7f3k", run: planPath},
			planShowVerb(), planLogVerb(),
			{
				use: "diff ID A [B]", short: "Show what changed from one save of the plan to another, or to now",
				long: `plan diff compares two saves of a plan, or a save with plan.md as it is now. A save is named by its number in plan
log, or by a time at which the plan was so: 16:00, '2026-11-20 16:00', or 2h back from now.`,
				example: `vise plan diff wi-7f3k 1
vise plan diff wi-7f3k 16:00 18:00`,
				run: diffPlan,
			},
			{
				use: "edit ID", short: "Open the plan in $VISUAL or $EDITOR", items: model.FilterOpen, example: "vise plan edit wi-7f3k",
				run: planEdit,
			},
			planStatusVerb(),
		},
	}
}

func planPath(e *Env) (answer, error) {
	out, _, err := readPlan(e, e.words[0])
	if err == nil && out.Plan.Path == "" {
		return nil, badPlan(out)
	}
	return oneLine(out, "%s", out.Plan.Path), err
}

func planShowVerb() verb {
	var at *string
	return verb{
		use: "show ID", short: "Print the plan, safe on a terminal",
		example: "vise plan show wi-7f3k\nvise plan show wi-7f3k --at 16:00",
		flags:   flags{{"at", &at, "as it was at this save: its number in plan log, or a time (16:00, '2026-11-20 16:00', 2h)"}},
		run: func(e *Env) (answer, error) {
			if at != nil {
				return planAt(e, e.words[0], *at)
			}
			return planShow(e, e.words[0])
		},
	}
}

func planStatusVerb() verb {
	var c model.UpdateWorkItem
	return verb{
		use: "status ID [STATUS]", short: "Show or set the plan status: draft, ready or needs_input", items: model.FilterOpen,
		example:  "vise plan status wi-7f3k ready",
		revision: &c.SeenRevision,
		run: func(e *Env) (answer, error) {
			args := e.words
			if len(args) == 2 {
				c.PlanStatus = new(model.PlanStatus(args[1]))
				return change(e, args[0], "plan "+safe(args[1])+":", c)
			}
			out, _, err := readPlan(e, args[0])
			return oneLine(out, "%s plan %s, %d bytes\n%s", out.Handle, out.PlanStatus, out.Plan.Bytes, planWords(out.Plan)), err
		},
	}
}

// readPlan reads the item that ref names and its plan file together.
func readPlan(e *Env, ref string) (plan, files.Plan, error) {
	v, err := find(e, ref)
	if err != nil {
		return plan{}, files.Plan{}, err
	}
	file := e.home.Plan(e, v.AgentID, v.ID)
	return plan{itemName: itemName{v.ID, v.Handle}, PlanStatus: v.PlanStatus, Plan: file.PlanArtifact, Reason: file.Reason}, file, nil
}

func planShow(e *Env, ref string) (answer, error) {
	out, file, err := readPlan(e, ref)
	var warnings []model.Warning
	switch {
	case err == nil && out.Plan.Condition == model.PlanElsewhere && out.Plan.IsWhole(model.Text(file.Raw)):
	case err == nil && out.Plan.Condition == model.PlanElsewhere:
		warnings = append(warnings, model.Warning{Kind: model.WarnAnswerIncomplete,
			Message: "the plan file is on another machine. " + out.Reason})
	case err == nil && out.Plan.Condition != model.PlanOK:
		return nil, badPlan(out)
	}
	out.Text = model.Text(file.Raw)
	return wholeText(out, out.Text.Multiline()).warned(warnings), err
}

func badPlan(out plan) error {
	if out.Plan.Path == "" {
		return refuse("the plan file of %s is on another machine", out.Handle).At("plan_artifact",
			"use it there; vise plan show %s shows what the ledger has of it", out.Handle)
	}
	hint := "put a regular text file there; vise plan edit %s makes a missing one again"
	if out.Plan.Condition == model.PlanTooLarge {
		hint = "shorten it: vise plan edit %s"
	}
	return refuse("the plan of %s cannot be shown: %s %s", out.Handle, out.Plan.Path, out.Reason).At("plan_artifact", hint, out.Handle)
}

// planEdit opens the plan in the editor, waits until the editor ends, and makes the ledger record the file's new state.
func planEdit(e *Env) (answer, error) {
	out, file, err := readPlan(e, e.words[0])
	if err != nil {
		return nil, err
	}
	switch {
	case out.Plan.Condition == model.PlanElsewhere:
		return planEditThere(e, out, file)
	case out.Plan.Path == "":
		return nil, badPlan(out)
	}
	switch out.Plan.Condition {
	case model.PlanOK, model.PlanNotText, model.PlanTooLarge:
	case model.PlanMissing:
		if err := recreatePlan(e, out); err != nil {
			return nil, err
		}
	default:
		return nil, badPlan(out)
	}
	if err := runEditor(e, file.Path); err != nil {
		return nil, err
	}
	var warnings []model.Warning
	// If the ledger cannot be told, the editor has saved the file all the same.
	if err := e.home.RefreshPlan(e, model.Envelope{Actor: e.actor, Agent: e.agent}, out.WorkItemID); err != nil {
		warnings = append(warnings, model.Warning{Kind: model.WarnPlanNotRefreshed,
			Message: "the plan file is saved; the ledger describes it as it was: " + fault(err).Message})
	}
	file = e.home.Files().Plan(out.Plan.OwnerAgentID, out.WorkItemID)
	out.Plan, out.Reason = file.PlanArtifact, file.Reason
	return oneLine(out, "%s plan %s, %d bytes", out.Handle, out.PlanStatus, out.Plan.Bytes).warned(warnings), nil
}

func runEditor(e *Env, path string) error {
	edit := editor(e, path)
	edit.Stdin, edit.Stdout, edit.Stderr = e.in, e.out, e.err
	if e.flags.json || !e.ttyOut {
		edit.Stdout = e.err
	}
	if err := edit.Run(); err != nil {
		return editorFault(err)
	}
	return nil
}

// planEditThere opens a copy of a plan whose file is on another machine, and saves the edited text in the ledger. The copy stays until
// it is saved.
func planEditThere(e *Env, out plan, read files.Plan) (answer, error) {
	base := model.Text(read.Raw)
	if !out.Plan.IsWhole(base) {
		return nil, badPlan(out)
	}
	copies := newEdits(e.home)
	path, err := copies.Copy(e, string(out.WorkItemID), base.Raw()) // raw: to a file, not shown
	if err == nil {
		err = runEditor(e, path)
	}
	mine := ""
	if err == nil {
		mine, err = copies.Read(e, path)
	}
	kept := func(err error) error { return fault(err).WithHint("what you wrote is kept at %s", path) }
	if err != nil {
		return nil, kept(err)
	}
	said := "nothing changed:"
	if mine != base.Raw() { // raw: compared, not shown
		said = "saved in the ledger:"
		err = e.home.SavePlan(e, out.Plan.OwnerAgentID, out.WorkItemID, out.Plan.Hash, mine)
	}
	if model.HasCode(err, model.CodeStale) {
		if aside, err := copies.SaveCopy(e, out.Plan.OwnerAgentID, out.WorkItemID, mine); err == nil {
			copies.Drop(e, path)
			path = aside
		}
		return nil, model.Refuse(model.CodeStale, "the plan of %s was saved on another machine while you edited it", out.Handle).
			At("plan_artifact", "nothing was overwritten; yours is kept at %s, and vise plan edit %s opens theirs", path, out.Handle)
	}
	if err != nil {
		return nil, kept(err)
	}
	copies.Drop(e, path)
	file := e.home.TakenPlan(e, out.Plan.OwnerAgentID, out.WorkItemID)
	out.Plan, out.Reason = file.PlanArtifact, file.Reason
	var warnings []model.Warning
	if out.Plan.Awaited {
		warnings = append(warnings, model.Warning{Kind: model.WarnPlanAwaited,
			Message: "its file does not have it yet: no vise on the machine of the file has taken it"})
	}
	return oneLine(out, "%s %s plan %s, %d bytes", said, out.Handle, out.PlanStatus, out.Plan.Bytes).warned(warnings), nil
}

// recreatePlan makes a missing plan file again, from its original seed.
func recreatePlan(e *Env, out plan) error {
	seed, err := e.home.Ledger.Seed(e, out.WorkItemID)
	if err != nil {
		return err
	}
	// raw: written to the plan file, not shown
	_, err = e.home.Files().CreatePlan(out.Plan.OwnerAgentID, out.WorkItemID, seed.Raw())
	return err
}

func editorFault(err error) error {
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return model.Refuse(model.CodeInternal, "the editor ended with code %d", ended.ExitCode()).
			WithHint("the plan file is as the editor left it")
	}
	return model.Refuse(model.CodeInternal, "the editor did not start").Because(err).WithHint("set EDITOR to a program")
}

// editorWords returns the operator's editor command.
func editorWords(e *Env) string { return cmp.Or(e.getenv("VISUAL"), e.getenv("EDITOR"), "vi") }

// atLine returns the arguments that open a file at a line in the operator's editor. An unknown editor gets only the file.
func atLine(e *Env, path string, line int) []string {
	program, _, _ := strings.Cut(editorWords(e), " ")
	switch at := strconv.Itoa(line); {
	case line <= 0:
	case slices.Contains([]string{"vi", "vim", "nvim", "view", "nano", "emacs", "emacsclient", "kak", "micro", "joe", "mg", "ne", "less"},
		filepath.Base(program)):
		return []string{"+" + at, path}
	case slices.Contains([]string{"hx", "helix", "zed", "subl"}, filepath.Base(program)):
		return []string{path + ":" + at}
	case slices.Contains([]string{"code", "codium", "cursor"}, filepath.Base(program)):
		return []string{"--goto", path + ":" + at}
	}
	return []string{path}
}

// editor returns the command that opens a file in the operator's editor. The words of EDITOR come from the operator, the path is data. The
// editor starts in the home: agents write to the plan's own directory and could leave editor settings there.
func editor(e *Env, args ...string) *exec.Cmd {
	c := exec.Command("sh", append([]string{"-c", "exec " + editorWords(e) + ` "$@"`, "sh"}, args...)...)
	c.Dir = e.home.Dir()
	c.Env = os.Environ()
	return c
}

// planLog is the data of plan log.
type planLog struct {
	itemName
	// Saves are the kept saves, newest first, as many as requested.
	Saves []planSave `json:"saves"`
	// Kept is the number of kept saves, Total the number of all saves.
	Kept  int `json:"kept"`
	Total int `json:"total"`
	// Changed means that plan.md differs from its newest save.
	Changed bool `json:"changed"`
}

// planSave is a save, with the lines added and removed since the previous kept save.
type planSave struct {
	model.PlanSave
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// planDiff is the data of plan diff.
type planDiff struct {
	itemName
	From model.PlanSave `json:"from"`
	// To is nil if the save is compared with the current plan.md.
	To      *model.PlanSave `json:"to,omitempty"`
	Added   int             `json:"added"`
	Removed int             `json:"removed"`
	// Diff is in unified form.
	Diff model.Text `json:"diff"`
}

const shownSaves = 20

func planLogVerb() verb {
	limit := shownSaves
	return verb{
		use: "log ID", short: "List the plan's saves, newest first",
		long: `plan log lists the kept saves of a plan, with who noted each and how many lines were added and removed.
Saves are noted while a console, serve, drive or mcp runs, and by the commands update, complete and plan
edit. Several saves while none of these runs count as one. At most 200 saves and 8 MiB of a plan are
kept; of older ones fewer are kept.`,
		example: `vise plan log wi-7f3k
vise plan log wi-7f3k --limit 200`,
		flags: flags{{"limit", upTo{&limit, model.MaxPlanSaves}, "how many at most"}},
		run: func(e *Env) (answer, error) {
			x, err := readSaves(e, e.words[0])
			if err != nil {
				return nil, err
			}
			out := planLog{itemName: x.itemName, Saves: []planSave{}, Total: len(x.saves)}
			out.Changed = x.file.Condition == model.PlanOK && len(x.saves) > 0 && x.file.Hash != x.saves[len(x.saves)-1].Hash
			kept := slices.DeleteFunc(x.saves, func(s model.PlanSave) bool { return !s.Kept })
			out.Kept = len(kept)
			var before model.Text
			for i, s := range kept[max(len(kept)-limit-1, 0):] {
				text, err := x.text(e, s)
				if err != nil {
					continue // removed in the meantime by thinning
				}
				row := planSave{PlanSave: s}
				if i > 0 || s.N == 1 {
					_, row.Added, row.Removed = unified("", before, "", text)
				}
				out.Saves, before = append(out.Saves, row), text
			}
			slices.Reverse(out.Saves)
			out.Saves = out.Saves[:min(len(out.Saves), limit)]
			return answerOf(out, (*page).planLog), nil
		},
	}
}

// planSaves are an item's plan, its file, and its saves, oldest first.
type planSaves struct {
	plan
	file  files.Plan
	saves []model.PlanSave
	home  *home.Home
}

// readSaves reads the saves of the plan of the item that ref names.
func readSaves(e *Env, ref string) (x planSaves, err error) {
	if x.plan, x.file, err = readPlan(e, ref); err == nil {
		x.home = e.home
		x.saves, err = e.home.PlanSaves(e, x.Plan.OwnerAgentID, x.WorkItemID)
	}
	return x, err
}

func (x planSaves) text(ctx context.Context, s model.PlanSave) (model.Text, error) {
	return x.home.SavedText(ctx, x.Plan.OwnerAgentID, x.WorkItemID, s)
}

func (p *page) planLog(out planLog) {
	if out.Changed {
		p.line("plan.md has changed since its newest save")
	}
	var rows [][]string
	for _, s := range out.Saves {
		rows = append(rows, []string{strconv.Itoa(s.N), when(s.At), s.By().String(), fmt.Sprintf("+%d −%d", s.Added, s.Removed)})
	}
	p.plainTable(2, rows)
	if more := out.Kept - len(out.Saves); more > 0 {
		p.quiet("%d older ones: --limit %d", more, out.Kept)
	}
	if gone := out.Total - out.Kept; gone > 0 {
		p.quiet("%s of %d not kept", model.Counted(gone, "save"), out.Total)
	}
}

// planAt shows the plan at a save.
func planAt(e *Env, ref, at string) (answer, error) {
	x, err := readSaves(e, ref)
	if err != nil {
		return nil, err
	}
	s, err := saveAt(e, x.saves, at)
	if err != nil {
		return nil, err
	}
	out := x.plan
	out.Save, out.Reason = &s, ""
	if out.Text, err = x.text(e, s); err != nil {
		return nil, err
	}
	out.Todos, err = e.home.SavedTodos(e, x.WorkItemID, s)
	return wholeText(out, out.Text.Multiline()), err
}

// saveAt returns the save that a number or a time names.
func saveAt(e *Env, saves []model.PlanSave, at string) (model.PlanSave, error) {
	if len(saves) == 0 {
		return model.PlanSave{}, notFound("the plan has no saves").At("at")
	}
	if n, err := strconv.Atoi(at); err == nil {
		if n < 1 || n > len(saves) {
			return model.PlanSave{}, notFound("there is no save %d", n).At("at",
				"the plan has %d", len(saves))
		}
		return saves[n-1], nil
	}
	t, err := pastTime(at, e.now())
	if err != nil {
		return model.PlanSave{}, misuse("at", "%s is %v", at, err).
			WithHint("the number of a save (12), a time (2026-11-20 16:00, 16:00) or a span back from now (2h)")
	}
	s, ok := model.SaveAt(saves, t)
	if !ok {
		return s, notFound("the plan has no save of %s or before", when(t)).At("at",
			"its first is of %s", when(saves[0].At))
	}
	return s, nil
}

func diffPlan(e *Env) (answer, error) {
	args := e.words
	x, err := readSaves(e, args[0])
	if err != nil {
		return nil, err
	}
	out := planDiff{itemName: x.itemName}
	side := func(at string) (s model.PlanSave, text model.Text, err error) {
		if s, err = saveAt(e, x.saves, at); err == nil {
			text, err = x.text(e, s)
		}
		return s, text, err
	}
	from, to, name := model.Text(""), model.Text(x.file.Raw), "now"
	if out.From, from, err = side(args[1]); err != nil {
		return nil, err
	}
	if len(args) == 3 {
		out.To = new(model.PlanSave)
		*out.To, to, err = side(args[2])
		name = saveName(*out.To)
	} else if x.Plan.Condition != model.PlanOK {
		err = badPlan(x.plan)
	}
	if err != nil {
		return nil, err
	}
	out.Diff, out.Added, out.Removed = unified(saveName(out.From), from, name, to)
	return answered(out, func(p *page) { p.diff(out.Diff) }), nil
}

// saveName returns the name of a save in a diff.
func saveName(s model.PlanSave) string { return fmt.Sprintf("save %d, %s", s.N, when(s.At)) }

// unified compares two texts, and counts the lines added and removed.
func unified(fromName string, from model.Text, toName string, to model.Text) (out model.Text, added, removed int) {
	lines := func(t model.Text) []byte { return []byte(t.Raw()) } // raw: compared here, made safe where it is shown
	out = model.Text(diff.Diff(fromName, lines(from), toName, lines(to)))
	body := false
	for line := range strings.Lines(out.Raw()) { // raw: counted here
		switch {
		case strings.HasPrefix(line, "@@"):
			body = true
		case body && line[0] == '+':
			added++
		case body && line[0] == '-':
			removed++
		}
	}
	return out, added, removed
}

func (p *page) diff(d model.Text) {
	if d == "" {
		p.line("no difference")
	}
	for line := range strings.Lines(d.Multiline()) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "+"):
			line = p.styles.Added.Paint(line)
		case strings.HasPrefix(line, "-"):
			line = p.styles.Removed.Paint(line)
		}
		p.lines(line)
	}
}
