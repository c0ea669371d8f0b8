package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"vise/model"
	"vise/themes"
	"vise/ui/action"
	"vise/ui/text"
)

// page collects the output for people. All of it is safe on a terminal: texts from outside are added through model.Text's String.
type page struct {
	b strings.Builder
	// styles are nil without colours.
	styles themes.Styles // the zero value has no colours
	// width is the terminal's width, or 0 if lines can have any length.
	width int
	now   time.Time
}

// page returns an empty page for this run's output. It never queries the terminal; it uses the terminal's sixteen colours.
func newPage(e *Env) *page {
	p := &page{now: e.now()}
	if !e.ttyOut {
		return p
	}
	if w, _, err := term.GetSize(os.Stdout.Fd()); err == nil {
		p.width = w
	}
	if colours(e) {
		palette, _ := themes.ByName("ansi16")
		p.styles = *palette.Styles()
	}
	return p
}

// colours reports whether the output may be coloured.
func colours(e *Env) bool {
	return e.ttyOut && !e.flags.noColor && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"
}

func (p *page) flush(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}

// line writes one line. fmt makes arguments of type model.Text safe.
func (p *page) line(format string, args ...any) {
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

// say is line for words from outside: each text among args is made safe.
func (p *page) say(format string, args ...any) {
	p.line(format, texts(args)...)
}

// texts makes each text among args safe to show.
func texts(args []any) []any {
	for i, x := range args {
		if _, safe := x.(fmt.Stringer); !safe && reflect.ValueOf(x).Kind() == reflect.String {
			args[i] = model.Text(reflect.ValueOf(x).String())
		}
	}
	return args
}

// safe is a text from outside on one line, as a terminal may show it.
func safe[S ~string](s S) string { return model.Text(s).String() }

// quiet is line in the colour of what matters less.
func (p *page) quiet(format string, args ...any) { p.lines(p.muted(fmt.Sprintf(format, args...))) }

// lines writes lines as they are.
func (p *page) lines(list ...string) {
	for _, l := range list {
		p.b.WriteString(l + "\n")
	}
}

func (p *page) strong(s string) string { return p.styles.Strong.Paint(s) }
func (p *page) muted(s string) string  { return p.styles.Muted.Paint(s) }

// class colours s in the colour of the class.
func (p *page) class(c model.Class, s string) string {
	return action.MarkOf(c, &p.styles).Paint(s)
}

// className returns a class as a word, and its mark.
func className(c model.Class) (mark, name string) {
	return action.MarkOf(c, &themes.Styles{}).Text, model.Spaced(c)
}

// age returns how long ago t was.
func (p *page) age(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return text.Age(p.now.Sub(t))
}

// when formats an instant for people, in local time.
func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// cell is one field of a table.
type cell struct {
	text string
	// paint colours the cell after it was measured. If it is nil, the cell has no colour.
	paint func(string) string
}

// table writes rows of equal length, aligned by their width on screen. The column wide takes the rest of the terminal's width and is cut
// there. The last column is not padded.
func (p *page) table(wide int, rows [][]cell) {
	if len(rows) == 0 {
		return
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], text.Width(c.text))
		}
	}
	if p.width > 0 {
		room := p.width
		for i, w := range widths {
			if i != wide {
				room -= w + gap
			}
		}
		widths[wide] = min(widths[wide], max(minWide, room))
	}
	for _, row := range rows {
		p.row(row, widths, wide)
	}
}

const (
	// gap is the space between two columns, minWide the smallest width of the column wide.
	gap     = 2
	minWide = 20
)

func (p *page) row(row []cell, widths []int, wide int) {
	var line strings.Builder
	for i, c := range row {
		s := c.text
		if i == wide {
			s = text.Cut(s, widths[i])
		}
		fill := widths[i] - text.Width(s) + gap
		if c.paint != nil {
			s = c.paint(s)
		}
		line.WriteString(s)
		if i < len(row)-1 {
			line.WriteString(strings.Repeat(" ", fill))
		}
	}
	p.b.WriteString(strings.TrimRight(line.String(), " "))
	p.b.WriteByte('\n')
}

// plainTable writes rows of texts as a table. The first column is strong, the third muted.
func (p *page) plainTable(wide int, rows [][]string) {
	paints := []func(string) string{p.strong, nil, p.muted}
	cells := make([][]cell, len(rows))
	for i, row := range rows {
		for j, s := range row {
			cells[i] = append(cells[i], cell{text: safe(s), paint: paints[min(j, len(paints)-1)]})
		}
	}
	p.table(wide, cells)
}

// changed writes in one line what was done to an item.
func (p *page) changed(did string, v model.View) {
	mark, name := className(v.Class)
	p.line("%s %s %s  %s", did, p.strong(string(v.Handle)), v.Objective, p.class(v.Class, mark+" "+name))
}

// item writes everything that a view holds.
func (p *page) item(v model.View, waits []model.Wait) {
	mark, name := className(v.Class)
	var unread model.Text
	if n := len(v.Replies); n > 0 && v.Replies[n-1].Unread() {
		if unread = v.Replies[n-1].Text; v.Class == model.WaitingForOperator && v.Replies[n-1].Settles(waits) {
			name = model.NotYetRead
		}
	}
	p.line("%s  %s", p.strong(string(v.Handle)), p.strong(v.Objective.String()))
	priority := ""
	if v.Priority != "" {
		priority = string(v.Priority) + " priority · "
	}
	p.line("%s · %s · %splan %s · revision %d", p.class(v.Class, mark+" "+name), model.Spaced(v.Scheduling),
		priority, v.PlanStatus, v.Revision)
	p.quiet("id %s · agent %s · created %s · updated %s", v.ID, v.AgentID, when(v.CreatedAt), when(v.UpdatedAt))
	if words := v.Used.Words(); words != "" {
		p.quiet("its turns used %s", words)
	}
	if v.BlockedBy != "" {
		p.line("")
		p.block("blocked by", v.BlockedBy)
	}
	if !v.RecheckAt.IsZero() && v.BlockedBy != "" {
		p.line("check again   %s", when(v.RecheckAt))
	}
	if unread != "" {
		p.block(model.NotYetRead, unread)
	}
	p.todos(v.TodoList)
	p.waits(waits)
	p.plan(v.Plan)
	if v.Report != nil {
		p.line("")
		p.lines(p.strong("Report") + p.muted(" "+safe(cmp.Or(v.Report.Person, model.Text(v.Report.By)))))
		p.indented(v.Report.Text)
		for _, x := range v.Report.Warnings {
			p.say("! %s", x.Message)
		}
	}
	if v.Stalled {
		p.block("stalled", model.Text("its turns changed nothing; vise retry "+string(v.Handle)+" offers it again"))
	}
	for _, d := range v.Diagnostics {
		p.line("! %s", model.Spaced(d))
	}
}

func (p *page) block(label string, t model.Text) {
	lines := t.Lines()
	if len(lines) == 0 {
		return
	}
	p.line("%-13s %s", label, lines[0])
	for _, l := range lines[1:] {
		p.line("%-13s %s", "", l)
	}
}

func (p *page) indented(t model.Text) {
	for _, l := range t.Lines() {
		p.line("  %s", l)
	}
}

func (p *page) todos(list []model.Todo) {
	if len(list) == 0 {
		return
	}
	done, _, total := model.WorkItem{TodoList: list}.TodoCounts()
	p.line("")
	p.line("%s %d/%d", p.strong("Todos"), done, total)
	for _, t := range list {
		p.line("  %s %s", todoMark(t.State), t.Text)
	}
}

func todoMark(s model.TodoState) string {
	switch s {
	case model.TodoCompleted:
		return themes.Unicode.Done
	case model.TodoInProgress:
		return themes.Unicode.InProgress
	}
	return themes.Unicode.Pending
}

func (p *page) waits(list []model.Wait) {
	if len(list) == 0 {
		return
	}
	p.line("")
	p.lines(p.strong("Waits"))
	for _, x := range list {
		p.wait(x)
	}
}

func (p *page) wait(x model.Wait) {
	state := "pending"
	switch {
	case x.Triggered():
		state = "news " + p.age(x.LastTriggeredAt) + " ago"
	case x.Status == model.WaitCancelled:
		state = "cancelled"
	}
	p.line("  %s  %s, %s: %s", x.ID, model.Spaced(x.Kind), state, x.Reason)
	if x.Ask.Question != "" {
		p.line("      asks: %s", x.Ask.Question)
	}
	for i, c := range x.Ask.Choices {
		p.line("      %d  %s", i+1, c)
	}
	if !x.WakeAt.IsZero() {
		p.line("      at %s", when(x.WakeAt))
	}
	if said := x.Checked.Gist(); said != "" {
		p.line("      %s: %s, since %s", x.Source, said, when(x.Checked.Since))
	}
	if !x.Triggered() {
		return
	}
	for i, l := range x.LastTrigger.Payload.Lines() {
		p.line("      %s%s", []string{"news: ", "  "}[min(i, 1)], l)
	}
}

// plan writes what is known about a plan file, and the beginning of its text.
func (p *page) plan(a model.PlanArtifact) {
	p.line("")
	p.line("%s %s", p.strong("Plan"), p.muted(planWords(a)))
	p.indented(a.Preview)
	if (a.Condition == model.PlanOK || a.Condition == model.PlanElsewhere) && !a.PreviewComplete {
		p.line("  … vise plan show tells the rest")
	}
}

func planWords(a model.PlanArtifact) string {
	path := safe(a.Path)
	if a.Awaited {
		return "on another machine; its file does not have the last edit yet"
	}
	if a.Condition == model.PlanElsewhere {
		return "on another machine"
	}
	if a.Condition == model.PlanOK {
		if a.Bytes == 0 {
			return path + " (empty)"
		}
		return path
	}
	return path + " (" + model.Spaced(a.Condition) + ")"
}

// doing shows on a terminal what a long act does and how long it has run. It updates one line of standard error every second until done is
// called.
func doing(e *Env, what string) (done func()) { return showProgress(e, func() string { return what }) }

// progress is doing with a text that it asks for again every second.
func showProgress(e *Env, what func() string) (done func()) {
	f, ok := e.err.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return func() {}
	}
	return doingOn(f, what)
}

func doingOn(w io.Writer, what func() string) (done func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-tick.C:
				fmt.Fprintf(w, "\r\x1b[K%s: %d s", what(), n)
			case <-stop:
				if n > 1 {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}
