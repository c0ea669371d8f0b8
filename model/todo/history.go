package todo

import (
	"strings"
	"time"
	"unicode"

	"vise/model"
)

// Row is one line of a todo's Status History. From is empty in the row of creation.
type Row struct {
	At     model.Text `json:"at"`
	From   Status     `json:"from,omitempty"`
	To     Status     `json:"to"`
	Actor  model.Text `json:"actor"`
	Reason model.Text `json:"reason"`
}

// NoStatus is how the table writes the From of a creation.
const NoStatus = "—"

// Line is the row as the table holds it, without a line break. Text cannot break
// the table: a bar becomes U+2223, a control character or line break a space.
func (r Row) Line() string {
	from := string(r.From)
	if from == "" {
		from = NoStatus
	}
	cells := []string{r.At.Raw(), from, string(r.To), r.Actor.Raw(), r.Reason.Raw()}
	for i, c := range cells {
		cells[i] = OneLine(strings.ReplaceAll(c, "|", "∣"))
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// ParseRow reads a line of the table; ok is false for its head, rule and other lines.
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
	to, err := ParseStatus(cells[2])
	if err != nil {
		return Row{}, false
	}
	r = Row{At: model.Text(cells[0]), To: to, Actor: model.Text(cells[3]),
		Reason: model.Text(strings.TrimSpace(strings.Join(cells[4:], "|")))}
	if from, err := ParseStatus(cells[1]); err == nil {
		r.From = from
	}
	return r, true
}

// OneLine makes text fit for one line of a file: whitespace and control characters
// become single spaces.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), " ")
}

// Prior is the status that t had before its present one, as its history tells.
func (t Todo) Prior() (Status, bool) {
	for i := len(t.History) - 1; i >= 0; i-- {
		if r := t.History[i]; r.To == t.Status && r.From != "" && r.From != t.Status {
			return r.From, true
		}
	}
	return "", false
}

// LastSign is the latest moment at which t is known to have been worked on: by claim,
// history or Work Log. A Work Log tells days only.
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
