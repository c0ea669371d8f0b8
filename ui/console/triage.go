package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/todo"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// batchSize is the number of findings in one batch, leastFinding the height that a form leaves the triage.
const batchSize, leastFinding = 10, 5

// triage is the dialog in which the operator judges findings: ten at a time, the most urgent first, each beside
// the current code.
type triage struct {
	deskKeys
	files fileTodos
	// batch are the current findings. They keep their places after a decision.
	batch []todo.Ref
	at    todo.Ref
	// verdicts are the decisions by finding. A deferred finding is not asked again.
	verdicts map[todo.Ref]string
	// undo are the decisions that can be undone, the newest last.
	undo []verdict
	// scroll is the first shown line of the finding. all shows all todos by status.
	scroll int
	all    bool
}

// verdict is a decision on a finding. back is the action that undoes it, empty if the decision changed nothing.
type verdict struct {
	ref  todo.Ref
	back fileActKind
}

func triaging(c *console) dialog {
	d := &triage{verdicts: map[todo.Ref]string{}, files: c.files}
	d.next()
	d.all = len(d.batch) == 0
	return d
}

// next takes the next batch of undecided findings.
func (d *triage) next() {
	d.batch, d.scroll = nil, 0
	for _, r := range d.files.Pending {
		if _, decided := d.verdicts[r]; !decided && len(d.batch) < batchSize {
			d.batch = append(d.batch, r)
		}
	}
	if len(d.batch) > 0 {
		d.at = d.batch[0]
	}
}

// undecided reports whether a finding still waits for the operator.
func (d *triage) undecided(r todo.Ref) bool {
	t, ok := d.files.Find(r)
	_, decided := d.verdicts[r]
	return ok && !decided && t.Status == todo.Pending
}

// Press is part of dialog.
func (d *triage) Press(k keyPress, x facts) (open bool, m message) {
	switch k.ID {
	case action.Back, action.Quit:
		if d.all && len(d.batch) > 0 {
			d.all = false
			return true, nil
		}
		return false, nil
	case action.TodoList:
		d.all = !d.all
	case action.Down:
		d.move(1)
	case action.Up:
		d.move(-1)
	case action.PreviewDown, action.PageDown, action.Do:
		d.scroll = min(d.scroll+3, d.view(x).LastLine())
	case action.PreviewUp, action.PageUp:
		d.scroll = max(d.scroll-3, 0)
	case action.NeedsYou:
		d.next()
	case action.Undo:
		return true, d.takeBack()
	case action.Help:
		return true, run(action.Help)
	default:
		if n := k.digit(); n < len(action.Verdicts) {
			return true, d.judge(action.Verdicts[n], x)
		}
		if r := d.files.fileKey(k.ID, d.at, x.State.Agent); r != nil {
			return true, r
		}
		return true, unused(k)
	}
	return true, nil
}

// move moves the cursor in the list.
func (d *triage) move(by int) {
	d.at, d.scroll = screen.List[todo.Ref]{Order: d.shown(), Cursor: d.at}.Step(by).Cursor, 0
}

// shown are the findings of the batch, or all todos by status.
func (d *triage) shown() []todo.Ref {
	if d.all {
		return d.files.ByStatus()
	}
	return d.batch
}

// ranking offers the priorities of the finding at the cursor. A priority is no decision: the finding stays in
// the batch.
func (d *triage) ranking() message {
	t, ok := d.files.Find(d.at)
	if !ok || t.Status.Final() {
		return trouble(d.files.Label(d.at) + " is over: its priority stays")
	}
	var list []choice[todo.Priority]
	for _, p := range todo.Priorities() {
		list = append(list, choice[todo.Priority]{value: p})
	}
	return opens{choiceMenu("Priority of "+d.files.Label(d.at), t.Priority, list, func(p todo.Priority) message {
		return job{act: &FileAct{Kind: FileRank, Ref: d.at, Priority: p}}
	})}
}

// judge decides on the finding at the cursor.
func (d *triage) judge(v action.Verdict, x facts) message {
	switch {
	case v.Title == action.Rank:
		return d.ranking()
	case !d.undecided(d.at):
		return trouble(d.files.Label(d.at) + x.Keyed(" is decided; {undo} takes your last decision back"))
	case v.Title == action.Defer:
		d.decide("deferred", "")
		return effect{}
	case v.Title == action.Approve:
		act := FileAct{Kind: FileMove, Ref: d.at, Move: todo.Move{To: todo.Ready, Reason: "Triage approved"}}
		d.decide("approved", FileUnapprove)
		return job{act: &act}
	}
	var why model.Text
	field := lineField("Why "+v.Resolution.Words()+"?", model.MaxReason, &why, "say why, or {back}")
	if v.Resolution == todo.Duplicate {
		field.Label = "Duplicate of which todo, and why?"
		if x := d.files.finding; x.Ref == d.at && x.Twin != nil { // which it most likely repeats
			field.Set(x.Twin.Ref().String() + " ")
		}
	}
	return opens{&form{
		Title: d.files.Label(d.at), Fields: []formField{field}, Foot: "{open} close it · {back} cancel",
		Submit: func(facts) message { return d.reject(v.Resolution, why) },
	}}
}

// reject closes the finding at the cursor for a reason.
func (d *triage) reject(how todo.Resolution, why model.Text) message {
	m := todo.Move{To: todo.WontFix, Resolution: how, Reason: why}
	if how == todo.Duplicate {
		of, why, _ := strings.Cut(why.Raw(), " ") // raw: stored, and made safe where it is shown
		if !strings.Contains(of, "/") {
			return trouble("say of which todo, as review/001, then why")
		}
		m.DuplicateOf, m.Reason = todo.Ref(of), model.Text(cmp.Or(strings.TrimSpace(why), "Duplicate of "+of))
	}
	if !d.undecided(d.at) {
		return trouble(d.files.Label(d.at) + " was decided elsewhere meanwhile")
	}
	act := FileAct{Kind: FileMove, Ref: d.at, Move: m}
	d.decide(how.Words(), FileReopen)
	return job{act: &act}
}

// decide records a verdict and moves to the next undecided finding.
func (d *triage) decide(word string, back fileActKind) {
	d.verdicts[d.at] = word
	d.undo = append(d.undo, verdict{d.at, back})
	at := max(slices.Index(d.batch, d.at), 0)
	for i := range d.batch {
		if r := d.batch[(at+i)%len(d.batch)]; d.undecided(r) {
			d.at, d.scroll = r, 0
			return
		}
	}
}

// takeBack undoes the newest verdict.
func (d *triage) takeBack() message {
	if len(d.undo) == 0 {
		return trouble("nothing was decided here that could be taken back")
	}
	last := d.undo[len(d.undo)-1]
	d.forget(last.ref)
	d.at, d.scroll, d.all = last.ref, 0, false
	if !slices.Contains(d.batch, last.ref) {
		d.batch = append([]todo.Ref{last.ref}, d.batch[:min(len(d.batch), batchSize-1)]...)
	}
	if last.back == "" {
		return nil
	}
	return job{act: &FileAct{Kind: last.back, Ref: last.ref, Move: todo.Move{Reason: "Triage undone"}}}
}

func (d *triage) forget(r todo.Ref) {
	delete(d.verdicts, r)
	d.undo = slices.DeleteFunc(d.undo, func(v verdict) bool { return v.ref == r })
}

// view is the drawn state of the triage.
func (d *triage) view(x facts) screen.Triage {
	return screen.Triage{Frame: x.Frame, W: x.W - 2, H: x.H - x.Under - 2, Alone: x.Under > 0, Files: d.files.FileTodos,
		Batch: d.shown(), Cursor: d.at, Verdicts: d.verdicts, Finding: d.files.finding, Scroll: d.scroll, All: d.all}
}

// Draw is part of dialog.
func (d *triage) Draw(x facts) drawnDialog {
	out := x.dialog("Triage  "+x.Show(d.files.Where()), d.keys(x.W), d.view(x).Lines())
	out.W, out.H, out.Right = x.W, x.H-x.Under, x.Muted.Paint(screen.StatusCounts(d.files.Todos))
	return out
}

// keys lists the available keys, in fewer words on a narrow screen.
func (d *triage) keys(w int) string {
	switch narrow := w < 92; {
	case narrow && (d.all || !d.undecided(d.at)):
		return "{edit-plan} {pick} {complete} {block} {new} · {todos} all · {back}"
	case d.all || !d.undecided(d.at):
		return "{edit-plan} open {pick} start {complete} complete {block} interrupt or unblock {new} promote · {todos} all · {back}"
	case narrow:
		return "1 approve 2 defer 3-8 more · {new} promote · {undo} undo · {next-needs-you} next · {back}"
	}
	return "1 approve 2 defer 3 false 4 dup 5 scope 6 supers. 7 won't 8 rank {edit-plan} open {new} promote {undo} undo"
}

// acted is called at the end of an action on a file. It reads the files again.
func (j job) fileActed(c *console, err error) {
	c.readFiles()
	if err == nil && j.said == "" {
		return
	} else if err == nil {
		c.say(j.said + ".")
		return
	}
	decides := j.act.Kind == FileMove || j.act.Kind == FileReopen || j.act.Kind == FileUnapprove
	if d, ok := c.layers.top().(*triage); ok && decides {
		d.forget(j.act.Ref) // a refused decision must be made again
	}
	c.complain(fmt.Errorf("%s: %w", c.files.Label(j.act.Ref), err))
}

// readFinding reads the finding at the cursor of the triage, if another one is shown or the files have changed
// since.
func readFinding(c *console) {
	d, ok := c.layers.top().(*triage)
	if !ok || c.fx.Files == nil {
		return
	}
	key := findingKey{d.at, c.files.gen}
	if d.at == "" || key == c.files.asked {
		return
	}
	c.files.asked = key
	fx := c.fx
	c.start(func() tea.Msg {
		finding := fx.Files.Finding(fx.ctx, key.ref)
		finding.Ref = key.ref
		return act(func(c *console) {
			c.files.finding = finding
		})
	})
}
