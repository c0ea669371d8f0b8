package model

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Phrase is a text to search for, in any case (as in strings.EqualFold).
type Phrase struct {
	// letters are its characters, each in all its cases.
	letters [][][]byte
	// rare is the index of the character that is searched first.
	rare int
}

// PhraseOf makes the Phrase of a text.
func PhraseOf(s string) Phrase {
	var p Phrase
	for _, r := range s {
		p.letters = append(p.letters, casesOf(r))
		if rarity(r) > rarity(firstRune(p.letters[p.rare][0])) {
			p.rare = len(p.letters) - 1
		}
	}
	return p
}

func casesOf(r rune) [][]byte {
	out := [][]byte{[]byte(string(r))}
	for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
		out = append(out, []byte(string(c)))
	}
	return out
}

func firstRune(s []byte) rune {
	r, _ := utf8.DecodeRune(s)
	return r
}

// common are the characters of records (English words, JSON and times), the most common first.
const common = ` eatoinsrhl_d0cumf2pgy1w:b-v,.k56789x34/jqz`

func rarity(r rune) int {
	if at := strings.IndexRune(common, unicode.ToLower(r)); at >= 0 {
		return at
	}
	return len(common)
}

// In reports whether b contains the phrase.
func (p Phrase) In(b []byte) bool {
	if len(p.letters) == 0 {
		return true
	}
	return slices.ContainsFunc(p.letters[p.rare], func(first []byte) bool {
		for at := 0; ; at++ {
			n := bytes.Index(b[at:], first)
			if n < 0 {
				return false
			}
			at += n
			if holds(b[:at], slices.Backward(p.letters[:p.rare]), bytes.CutSuffix) &&
				holds(b[at+len(first):], slices.All(p.letters[p.rare+1:]), bytes.CutPrefix) {
				return true
			}
		}
	})
}

// InText reports whether a text contains the phrase.
func (p Phrase) InText(t Text) bool { return p.In([]byte(t)) }

// holds reports whether b begins, or with bytes.CutSuffix ends, with the letters in that order.
func holds(b []byte, letters iter.Seq2[int, [][]byte], cut func(b, letter []byte) ([]byte, bool)) bool {
next:
	for _, cases := range letters {
		for _, c := range cases {
			if rest, ok := cut(b, c); ok {
				b = rest
				continue next
			}
		}
		return false
	}
	return true
}

// Stored is the longest part of a phrase that JSON writes unchanged.
func (p Phrase) Stored() Phrase {
	var best, part []rune
	for _, cases := range p.letters {
		part = append(part, firstRune(cases[0]))
		if slices.ContainsFunc(cases, escaped) {
			part = nil
		}
		if len(part) > len(best) {
			best = slices.Clone(part)
		}
	}
	return PhraseOf(string(best))
}

func escaped(letter []byte) bool {
	r := firstRune(letter)
	return r < ' ' || strings.ContainsRune(`"\<>&`, r) || r == utf8.RuneError || r >= 0x7F && isHiddenRune(r)
}

// searchedFields are the searched fields of an item's record, in JSON. They cannot occur within a text, because JSON puts a
// backslash before a quotation mark.
var searchedFields = [][]byte{
	[]byte(`"objective":"`), []byte(`"result_summary":"`), []byte(`"blocked_by":"`), []byte(`"preview":"`), []byte(`"handle":"`),
}

// StoredHolds reports whether an item's stored record can contain all phrases in its searched fields. The phrases are Stored
// ones. Only false is certain.
func StoredHolds(raw []byte, phrases []Phrase) bool {
	for _, p := range phrases {
		if !p.In(raw) {
			return false
		}
	}
	for _, p := range phrases {
		if !slices.ContainsFunc(searchedFields, func(field []byte) bool { return p.In(storedText(raw, field)) }) {
			return false
		}
	}
	return true
}

// StoredRow is the part of an item's row that can be read quickly from its stored record: the agent, the update and, for a
// completed item, the class.
func StoredRow(raw []byte) Row {
	row := Row{AgentID: AgentID(storedText(raw, agentField))}
	if at := bytes.LastIndex(raw, updatedField); at >= 0 { // the last one, because a plan has one too
		row.UpdatedAt, _ = time.Parse(time.RFC3339, string(storedText(raw[at:], updatedField)))
	}
	if string(storedText(raw, stateField)) == string(Completed) { // the states of todos come later
		row.Class = CompletedRecent
	}
	return row
}

var agentField, stateField, updatedField = []byte(`"agent_id":"`), []byte(`"state":"`), []byte(`"updated_at":"`)

// storedText is the text of a field, as JSON writes it.
func storedText(raw, field []byte) []byte {
	at := bytes.Index(raw, field)
	if at < 0 {
		return nil
	}
	text := raw[at+len(field):]
	for end := 0; ; end++ {
		n := bytes.IndexByte(text[end:], '"')
		if n < 0 {
			return text
		}
		end += n
		slashes := 0
		for slashes < end && text[end-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return text[:end]
		}
	}
}

// Texts are the texts of an item that search looks at: its handle, objective, blocker, report, the beginning of its plan, and
// its unanswered questions.
func (w WorkItem) Texts(waits []Wait) []Text {
	out := []Text{Text(w.Handle), w.Objective, w.BlockedBy, w.ResultSummary, w.PlanArtifact.Preview}
	for _, x := range waits {
		if x.asks() {
			out = append(out, x.Ask.Question)
		}
	}
	return out
}
