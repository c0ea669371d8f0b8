package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/files"
)

// plan is the data of plan and its subcommands.
type plan struct {
	WorkItemID model.ItemID       `json:"work_item_id"`
	Handle     model.Handle       `json:"handle"`
	PlanStatus model.PlanStatus   `json:"plan_status"`
	Plan       model.PlanArtifact `json:"plan_artifact"`
	// Text is the whole file, in plan show, or its text at Save. Todos are from the same time.
	Text  model.Text      `json:"text,omitempty"`
	Save  *model.PlanSave `json:"save,omitempty"`
	Todos []model.Todo    `json:"todo_list,omitempty"`
	// Reason is why the file cannot be shown.
	Reason string `json:"reason,omitempty"`
}

func planVerb(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "plan", Short: "Find, read and edit a work item's plan.md; go through its saves"}
	path := &cobra.Command{
		Use: "path ID", Short: "Print where the plan file is", ValidArgsFunction: items(e, model.FilterAll),
		Example: "vise plan path wi-7f3k",
	}
	show := &cobra.Command{
		Use: "show ID", Short: "Print the plan, safe on a terminal", ValidArgsFunction: items(e, model.FilterAll),
		Example: "vise plan show wi-7f3k\nvise plan show wi-7f3k --at 16:00",
	}
	at := show.Flags().String("at", "", "as it was at this save: its number in plan log, or a time (16:00, '2026-11-20 16:00', 2h)")
	edit := &cobra.Command{
		Use: "edit ID", Short: "Open the plan in $VISUAL or $EDITOR", ValidArgsFunction: items(e, model.FilterOpen),
		Example: "vise plan edit wi-7f3k",
	}
	var m mutation
	status := &cobra.Command{
		Use: "status ID [STATUS]", Short: "Show or set the plan status: draft, ready or needs_input",
		Example:           "vise plan status wi-7f3k ready",
		ValidArgsFunction: items(e, model.FilterOpen),
	}
	m.register(status)
	c.AddCommand(
		e.verb(path, func(_ context.Context, args []string) (answer, error) { return planPath(e, args[0]) }),
		e.verb(show, func(_ context.Context, args []string) (answer, error) {
			if show.Flags().Changed("at") {
				return planAt(e, args[0], *at)
			}
			return planShow(e, args[0])
		}),
		planLogVerb(e), planDiffVerb(e),
		e.verb(edit, func(_ context.Context, args []string) (answer, error) { return planEdit(e, args[0]) }),
		e.verb(status, func(_ context.Context, args []string) (answer, error) { return planStatus(e, args, m) }),
	)
	return group(e, c)
}

// readPlan reads the item that ref names and its plan file together.
func readPlan(e *Env, ref string) (plan, files.Plan, error) {
	v, err := find(e, ref)
	if err != nil {
		return plan{}, files.Plan{}, err
	}
	file := e.home.Plan(e, v.AgentID, v.ID)
	return plan{WorkItemID: v.ID, Handle: v.Handle, PlanStatus: v.PlanStatus, Plan: file.PlanArtifact, Reason: file.Reason}, file, nil
}

func planPath(e *Env, ref string) (answer, error) {
	out, _, err := readPlan(e, ref)
	if err == nil && out.Plan.Path == "" {
		return answer{}, badPlan(out)
	}
	return answer{data: out, text: func(p *page) { p.line("%s", model.Text(out.Plan.Path)) }}, err
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
		return answer{}, badPlan(out)
	}
	out.Text = model.Text(file.Raw)
	return answer{data: out, warnings: warnings, text: func(p *page) { p.b.WriteString(out.Text.Multiline()) }}, err
}

func badPlan(out plan) error {
	if out.Plan.Path == "" {
		return model.Refuse(model.CodeRefused, "the plan file of %s is on another machine", out.Handle).At("plan_artifact").
			WithHint("use it there; vise plan show %s shows what the ledger has of it", out.Handle)
	}
	hint := "put a regular text file there; vise plan edit %s makes a missing one again"
	if out.Plan.Condition == model.PlanTooLarge {
		hint = "shorten it: vise plan edit %s"
	}
	return model.Refuse(model.CodeRefused, "the plan of %s cannot be shown: %s %s", out.Handle, model.Text(out.Plan.Path), out.Reason).
		At("plan_artifact").WithHint(hint, out.Handle)
}

func planStatus(e *Env, args []string, m mutation) (answer, error) {
	if len(args) == 2 {
		status := model.PlanStatus(args[1])
		return change(e, args[0], m, "plan "+model.Text(status).
			String()+":", model.UpdateWorkItem{PlanStatus: &status, SeenRevision: m.ifRevision})
	}
	out, _, err := readPlan(e, args[0])
	return answer{data: out, text: func(p *page) {
		p.line("%s plan %s, %d bytes", out.Handle, out.PlanStatus, out.Plan.Bytes)
		p.line("%s", planWords(out.Plan))
	}}, err
}

// planEdit opens the plan in the editor, waits until the editor ends, and makes the ledger record the file's new state.
func planEdit(e *Env, ref string) (answer, error) {
	out, file, err := readPlan(e, ref)
	if err != nil {
		return answer{}, err
	}
	switch {
	case out.Plan.Condition == model.PlanElsewhere:
		return planEditThere(e, out, file)
	case out.Plan.Path == "":
		return answer{}, badPlan(out)
	}
	switch out.Plan.Condition {
	case model.PlanOK, model.PlanNotText, model.PlanTooLarge:
	case model.PlanMissing:
		if err := recreatePlan(e, out); err != nil {
			return answer{}, err
		}
	default:
		return answer{}, badPlan(out)
	}
	if err := runEditor(e, file.Path); err != nil {
		return answer{}, err
	}
	var warnings []model.Warning
	if err := refreshPlan(e, out.WorkItemID); err != nil { // the editor has saved the file all the same
		warnings = append(warnings, model.Warning{Kind: model.WarnPlanNotRefreshed,
			Message: "the plan file is saved; the ledger describes it as it was: " + fault(err).Message})
	}
	file = e.home.Files().Plan(out.Plan.OwnerAgentID, out.WorkItemID)
	out.Plan, out.Reason = file.PlanArtifact, file.Reason
	return answer{data: out, warnings: warnings, text: func(p *page) {
		p.line("%s plan %s, %d bytes", out.Handle, out.PlanStatus, out.Plan.Bytes)
	}}, nil
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
		return answer{}, badPlan(out)
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
	kept := func(err error) error { return fault(err).WithHint("what you wrote is kept at %s", model.Text(path)) }
	if err != nil {
		return answer{}, kept(err)
	}
	said := "nothing changed:"
	if mine != base.Raw() { // raw: compared, not shown
		said = "saved in the ledger:"
		err = e.home.SavePlan(e, out.Plan.OwnerAgentID, out.WorkItemID, out.Plan.Hash, mine)
	}
	if errors.Is(err, &model.Error{Code: model.CodeStale}) {
		if aside, err := copies.SaveCopy(e, out.Plan.OwnerAgentID, out.WorkItemID, mine); err == nil {
			copies.Drop(e, path)
			path = aside
		}
		return answer{}, model.Refuse(model.CodeStale, "the plan of %s was saved on another machine while you edited it", out.Handle).
			At("plan_artifact").
			WithHint("nothing was overwritten; yours is kept at %s, and vise plan edit %s opens theirs", model.Text(path), out.Handle)
	}
	if err != nil {
		return answer{}, kept(err)
	}
	copies.Drop(e, path)
	file := e.home.Plan(e, out.Plan.OwnerAgentID, out.WorkItemID)
	out.Plan, out.Reason = file.PlanArtifact, file.Reason
	return answer{data: out, text: func(p *page) {
		p.line("%s %s plan %s, %d bytes", said, out.Handle, out.PlanStatus, out.Plan.Bytes)
	}}, nil
}

// refreshPlan makes the ledger describe an item's plan file as it is now.
func refreshPlan(e *Env, id model.ItemID) error {
	return e.home.RefreshPlan(e, model.Envelope{Actor: e.actor, Agent: e.agent}, id)
}

// recreatePlan makes a missing plan file again, from its original seed.
func recreatePlan(e *Env, out plan) error {
	seed, err := e.home.Ledger().Seed(e, out.WorkItemID)
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
