package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/files"
	"vise/store/home"
	"vise/themes"
)

// planLog is the data of plan log.
type planLog struct {
	WorkItemID model.ItemID `json:"work_item_id"`
	Handle     model.Handle `json:"handle"`
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
	WorkItemID model.ItemID   `json:"work_item_id"`
	Handle     model.Handle   `json:"handle"`
	From       model.PlanSave `json:"from"`
	// To is nil if the save is compared with the current plan.md.
	To      *model.PlanSave `json:"to,omitempty"`
	Added   int             `json:"added"`
	Removed int             `json:"removed"`
	// Diff is in unified form.
	Diff model.Text `json:"diff"`
}

const shownSaves = 20

func planLogVerb(e *Env) *cobra.Command {
	limit := shownSaves
	c := &cobra.Command{
		Use: "log ID", Short: "List the plan's saves, newest first", ValidArgsFunction: items(e, model.FilterAll),
		Example: "vise plan log wi-7f3k\nvise plan log wi-7f3k --limit 200",
		Long: "plan log lists the kept saves of a plan, with who noted each and how many lines were added and removed.\n" +
			"Saves are noted while a console, serve, drive or mcp runs, and by the commands update, complete and plan\n" +
			"edit. Several saves while none of these runs count as one. At most 200 saves and 8 MiB of a plan are\n" +
			"kept; of older ones fewer are kept.",
	}
	c.Flags().IntVar(&limit, "limit", limit, fmt.Sprintf("how many at most, 1 to %d", model.MaxPlanSaves))
	return e.verb(c, func(_ context.Context, args []string) (answer, error) {
		if limit < 1 || limit > model.MaxPlanSaves {
			return answer{}, misuse("limit", "--limit %d is not 1 to %d", limit, model.MaxPlanSaves)
		}
		return listSaves(e, args[0], limit)
	})
}

func planDiffVerb(e *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "diff ID A [B]", Short: "Show what changed from one save of the plan to another, or to now",
		ValidArgsFunction: items(e, model.FilterAll), Example: "vise plan diff wi-7f3k 1\nvise plan diff wi-7f3k 16:00 18:00",
		Long: "plan diff compares two saves of a plan, or a save with plan.md as it is now. A save is named by its number in plan\n" +
			"log, or by a time at which the plan was so: 16:00, '2026-11-20 16:00', or 2h back from now.",
	}
	return e.verb(c, e.planDiff)
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

func listSaves(e *Env, ref string, limit int) (answer, error) {
	x, err := readSaves(e, ref)
	if err != nil {
		return answer{}, err
	}
	out := planLog{WorkItemID: x.WorkItemID, Handle: x.Handle, Saves: []planSave{}, Total: len(x.saves)}
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
	return answer{data: out, text: func(p *page) { p.planLog(out) }}, nil
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
		p.line("%s", p.muted(fmt.Sprintf("%d older ones: --limit %d", more, out.Kept)))
	}
	if gone := out.Total - out.Kept; gone > 0 {
		p.line("%s", p.muted(fmt.Sprintf("%s of %d not kept", model.Counted(gone, "save"), out.Total)))
	}
}

// planAt shows the plan at a save.
func planAt(e *Env, ref, at string) (answer, error) {
	x, err := readSaves(e, ref)
	if err != nil {
		return answer{}, err
	}
	s, err := saveAt(e, x.saves, at)
	if err != nil {
		return answer{}, err
	}
	out := x.plan
	out.Save, out.Reason = &s, ""
	if out.Text, err = x.text(e, s); err != nil {
		return answer{}, err
	}
	out.Todos, err = e.home.SavedTodos(e, x.WorkItemID, s)
	return answer{data: out, text: func(p *page) { p.b.WriteString(out.Text.Multiline()) }}, err
}

// saveAt returns the save that a number or a time names.
func saveAt(e *Env, saves []model.PlanSave, at string) (model.PlanSave, error) {
	if len(saves) == 0 {
		return model.PlanSave{}, model.Refuse(model.CodeNotFound, "the plan has no saves").At("at")
	}
	if n, err := strconv.Atoi(at); err == nil {
		if n < 1 || n > len(saves) {
			return model.PlanSave{}, model.Refuse(model.CodeNotFound, "there is no save %d", n).At("at").
				WithHint("the plan has %d", len(saves))
		}
		return saves[n-1], nil
	}
	t, err := pastTime(at, e.now())
	if err != nil {
		return model.PlanSave{}, misuse("at", "%s is %v", model.Text(at), err).
			WithHint("the number of a save (12), a time (2026-11-20 16:00, 16:00) or a span back from now (2h)")
	}
	s, ok := model.SaveAt(saves, t)
	if !ok {
		return s, model.Refuse(model.CodeNotFound, "the plan has no save of %s or before", when(t)).At("at").
			WithHint("its first is of %s", when(saves[0].At))
	}
	return s, nil
}

func (e *Env) planDiff(ctx context.Context, args []string) (answer, error) {
	x, err := readSaves(e, args[0])
	if err != nil {
		return answer{}, err
	}
	out := planDiff{WorkItemID: x.WorkItemID, Handle: x.Handle}
	side := func(at string) (s model.PlanSave, text model.Text, err error) {
		if s, err = saveAt(e, x.saves, at); err == nil {
			text, err = x.text(ctx, s)
		}
		return s, text, err
	}
	from, to, name := model.Text(""), model.Text(x.file.Raw), "now"
	if out.From, from, err = side(args[1]); err != nil {
		return answer{}, err
	}
	if len(args) == 3 {
		out.To = new(model.PlanSave)
		*out.To, to, err = side(args[2])
		name = saveName(*out.To)
	} else if x.Plan.Condition != model.PlanOK {
		err = badPlan(x.plan)
	}
	if err != nil {
		return answer{}, err
	}
	out.Diff, out.Added, out.Removed = unified(saveName(out.From), from, name, to)
	return answer{data: out, text: func(p *page) { p.diff(out.Diff) }}, nil
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
			line = p.paint(line, func(s *themes.Styles) lipgloss.Style { return s.Added })
		case strings.HasPrefix(line, "-"):
			line = p.paint(line, func(s *themes.Styles) lipgloss.Style { return s.Removed })
		}
		p.line("%s", line)
	}
}
