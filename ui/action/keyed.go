package action

import "strings"

// Keyed is a sentence with the key of an action in place of its id in braces, as it holds
// now: "{submit} send" is "ctrl+s send" until the operator gives submit another key. Braces
// around anything else stay.
func (t Catalogue) Keyed(sentence string) string {
	var out strings.Builder
	for {
		before, rest, open := strings.Cut(sentence, "{")
		out.WriteString(before)
		if !open {
			return out.String()
		}
		id, after, closed := strings.Cut(rest, "}")
		a := t.ByID(ID(id))
		if !closed || a.Title == "" {
			out.WriteByte('{')
			sentence = rest
			continue
		}
		key := a.Key()
		if key == "" {
			key = t.KeyOf(Palette) // an action without a key is still found there
		}
		out.WriteString(key)
		sentence = after
	}
}
