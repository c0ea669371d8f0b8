package todo

import (
	"strings"
	"time"
	"unicode/utf8"

	"vise/model"
)

// Draft is a todo before it has an id. Text in it is from outside.
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
	// Chain is the workflow event that makes it, "skill:session".
	Chain model.Text
}

// Finding is one labelled fact of a draft.
type Finding struct{ Label, Text model.Text }

// Bounds of a draft's front matter, so that what we write we can read: below 16 KB.
const (
	maxTitle = 200
	maxField = 1000
	maxList  = 50
	maxEntry = 200
)

// Key is the draft's identity, as KeyOf a todo.
func (d Draft) Key() (Key, bool) {
	return KeyOf(Todo{Source: d.Source, Tags: d.Tags, Origin: Origin{SourceRef: d.SourceRef, FindingID: d.FindingID}})
}

// New makes the todo of a draft. Its status is pending, or ready for what needs no triage.
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
		return refuse(RuleValue, "status", "a new todo is pending or ready, not %q", string(d.Status))
	}
	if strings.TrimSpace(OneLine(d.Title.Raw())) == "" {
		return refuse(RuleTitle, "title", "a todo needs a title")
	}
	if !utf8.ValidString(d.Title.Raw()) || utf8.RuneCountInString(d.Title.Raw()) > maxTitle {
		return refuse(RuleTitle, "title", "a title is text of at most %d characters", maxTitle)
	}
	return checkSizes(d)
}

func checkSizes(d Draft) error {
	for field, s := range map[string]model.Text{"source_ref": d.SourceRef, "finding_id": d.FindingID, "finding_severity": d.Severity} {
		if len(s) > maxField {
			return refuse(RuleTooLarge, field, "%s is longer than %d bytes", field, maxField)
		}
	}
	lists := map[string][]model.Text{"tags": d.Tags, "files": d.Files}
	for _, r := range d.Dependencies {
		lists["dependencies"] = append(lists["dependencies"], model.Text(r))
	}
	for field, list := range lists {
		if len(list) > maxList {
			return refuse(RuleTooLarge, field, "%s has more than %d entries", field, maxList)
		}
		for _, s := range list {
			if len(s) > maxEntry {
				return refuse(RuleTooLarge, field, "an entry of %s is longer than %d bytes", field, maxEntry)
			}
		}
	}
	return nil
}

// Note is an entry of the Work Log. Entries are only ever added.
type Note struct {
	At        time.Time
	Phase     model.Text
	By        model.Text
	Source    model.Text
	Actions   []model.Text
	Learnings []model.Text
}
