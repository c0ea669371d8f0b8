package todo

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vise/model"
)

// Draft is a todo before it has an id. Its text comes from outside.
type Draft struct {
	Source       string
	Status       Status
	Priority     Priority
	Title        model.Text
	Problem      model.Text
	Findings     []Finding
	Evidence     model.Text
	Action       model.Text
	Criteria     []model.Text
	SourceRef    model.Text
	FindingID    model.Text
	Severity     model.Text
	Tags         []model.Text
	Files        []model.Text
	Dependencies []Ref
	// Chain is the workflow event that creates it, "skill:session".
	Chain model.Text
}

// Finding is one labelled fact of a draft.
type Finding struct{ Label, Text model.Text }

// Bounds of a draft's front matter, which keep it below 16 KB, the limit of reading.
const (
	maxTitle = 200
	maxField = 1000
	maxList  = 50
	maxEntry = 200
)

// New makes the todo of a draft. Its status is pending, or ready if it needs no triage.
func New(d Draft, id string, m Move) (Todo, error) {
	if err := checkDraft(d); err != nil {
		return Todo{}, err
	}
	title := model.Text(OneLine(d.Title.Raw()))
	t := Todo{
		Source: d.Source, IssueID: id, Schema: Schema, Status: d.Status, Priority: d.Priority, Title: title,
		Origin:       Origin{SourceRef: d.SourceRef, FindingID: d.FindingID, FindingSeverity: d.Severity},
		Tags:         d.Tags,
		Files:        d.Files,
		Dependencies: d.Dependencies,
		Created:      Day(m.At), Updated: Day(m.At),
		File: FileName(id, d.Status, d.Priority, title.Raw()),
	}
	if d.Chain != "" {
		t.WorkflowChain = []model.Text{d.Chain}
	}
	t.History = []Row{{At: Stamp(m.At), To: d.Status, Actor: m.Actor.Name, Reason: m.Reason}}
	return t, nil
}

func checkDraft(d Draft) error {
	if _, err := ParseSource(d.Source); err != nil {
		return err
	}
	if _, err := ParsePriority(string(d.Priority)); err != nil {
		return err
	}
	if d.Status != Pending && d.Status != Ready {
		return Refuse(RuleValue, "status", "a new todo is pending or ready, not %q", string(d.Status))
	}
	if strings.TrimSpace(OneLine(d.Title.Raw())) == "" {
		return Refuse(ruleTitle, "title", "a todo needs a title")
	}
	if !utf8.ValidString(d.Title.Raw()) || utf8.RuneCountInString(d.Title.Raw()) > maxTitle {
		return Refuse(ruleTitle, "title", "a title is text of at most %d characters", maxTitle)
	}
	return checkSizes(d)
}

func checkSizes(d Draft) error {
	for field, s := range map[string]model.Text{"source_ref": d.SourceRef, "finding_id": d.FindingID, "finding_severity": d.Severity} {
		if len(s) > maxField {
			return Refuse(RuleTooLarge, field, "%s is longer than %d bytes", field, maxField)
		}
	}
	lists := map[string][]model.Text{"tags": d.Tags, "files": d.Files}
	for _, r := range d.Dependencies {
		lists["dependencies"] = append(lists["dependencies"], model.Text(r))
	}
	for field, list := range lists {
		if len(list) > maxList {
			return Refuse(RuleTooLarge, field, "%s has more than %d entries", field, maxList)
		}
		for _, s := range list {
			if len(s) > maxEntry {
				return Refuse(RuleTooLarge, field, "an entry of %s is longer than %d bytes", field, maxEntry)
			}
		}
	}
	return nil
}

// Note is an entry of the Work Log. Entries are only added, never changed.
type Note struct {
	At        time.Time
	Phase     model.Text
	By        model.Text
	Source    model.Text
	Actions   []model.Text
	Learnings []model.Text
}

// Row is one line of a todo's Status History. From is empty in the row of creation.
type Row struct {
	At     model.Text `json:"at"`
	From   Status     `json:"from,omitempty"`
	To     Status     `json:"to"`
	Actor  model.Text `json:"actor"`
	Reason model.Text `json:"reason"`
}

// NoStatus is the From of a creation in the table.
const NoStatus = "—"

// Line returns the row as a line of the table, without a line break. Text cannot break the table: a bar becomes U+2223, and a control
// character or line break becomes a space.
func (r Row) Line() string {
	cells := []string{r.At.Raw(), cmp.Or(string(r.From), NoStatus), string(r.To), r.Actor.Raw(), r.Reason.Raw()}
	for i, c := range cells {
		cells[i] = OneLine(strings.ReplaceAll(c, "|", "∣"))
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// ParseRow reads a line of the table. ok is false for its head, its rule, and other lines.
func ParseRow(line string) (r Row, ok bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return Row{}, false
	}
	cells := strings.Split(strings.Trim(line, "|"), "|")
	if len(cells) < 5 {
		return Row{}, false
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	from, to := Status(cells[1]), Status(cells[2])
	if !to.known() {
		return Row{}, false
	}
	r = Row{At: model.Text(cells[0]), To: to, Actor: model.Text(cells[3]),
		Reason: model.Text(strings.TrimSpace(strings.Join(cells[4:], "|")))}
	if from.known() {
		r.From = from
	}
	return r, true
}

// OneLine makes text fit on one line of a file: runs of white space and control characters become single spaces.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), " ")
}

// Prior returns the status that t had before its present one, from its history.
func (t Todo) Prior() (Status, bool) {
	for _, r := range slices.Backward(t.History) {
		if r.To == t.Status && r.From != "" && r.From != t.Status {
			return r.From, true
		}
	}
	return "", false
}

// LastSign returns the latest time at which t was worked on, from claim, history and Work Log. A Work Log has only days.
func (t Todo) LastSign() time.Time {
	var last time.Time
	signs := []model.Text{t.ClaimedAt, t.LastWork}
	if n := len(t.History); n > 0 {
		signs = append(signs, t.History[n-1].At)
	}
	for _, s := range signs {
		if at, ok := TimeOf(s); ok && at.After(last) {
			last = at
		}
	}
	return last
}
