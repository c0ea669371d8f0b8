package action

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// KeyTrouble is a key that cannot be bound.
type KeyTrouble struct {
	// ID is the action that the key was given to; it may not exist. Key may be empty.
	ID  ID
	Key string
	Why string
	// With is the other action that has the key.
	With ID
}

// Remap returns the table with other keys. Each action in keys gets those instead of its own; own is appended. If there are troubles, the
// table must not be used.
func Remap[K ~[]string](keys map[ID]K, own []Action) (Catalogue, []KeyTrouble) {
	table := append(Standard(), own...)
	var troubles []KeyTrouble
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		named := func(id ID) int { return slices.IndexFunc(table, func(a Action) bool { return a.ID == id }) }
		i := named(id)
		if now := renamed[id]; i < 0 && keys[now] == nil {
			i = named(now)
		}
		if i < 0 {
			troubles = append(troubles, KeyTrouble{ID: id, Why: "there is no such action"})
			continue
		}
		table[i].Keys = slices.Clone(keys[id])
		if len(keys[id]) == 0 && slices.Contains(essential, id) {
			troubles = append(troubles, KeyTrouble{ID: id, Why: "it needs a key: without one there is no way out"})
		}
	}
	for _, a := range table {
		for _, k := range a.Keys {
			if why := unusable(k, a.In); why != "" {
				troubles = append(troubles, KeyTrouble{ID: a.ID, Key: k, Why: why})
			}
		}
	}
	return table, append(troubles, table.clashes()...)
}

// renamed are the actions that had another id.
var renamed = map[ID]ID{"acknowledge": Hide, "snoozed": Hidden, "menu-posture": Posture}

// essential are the actions that close or leave something. Nobody may unbind them.
var essential = []ID{ForceQuit, Back}

// Everywhere reports whether an action's keys are bound in every context.
func Everywhere(id ID) bool { return id == ForceQuit || id == Suspend || id == Redraw }

// heard reports whether one of a's keys has its meaning in a context.
func (a Action) heard(key string, in Context) bool {
	mods, base := modifiers(key)
	inTexts := Everywhere(a.ID) || a.ID == Submit
	passes := inTexts && len(mods) > 0 || slices.Contains(named, base) && !slices.Contains(editing, base)
	return a.In == in || a.In == Desk && (passes || in == Page)
}

// editing are the named keys that edit a text.
var editing = strings.Fields("space backspace delete left right home end")

// clashes returns the keys that are bound to two actions in one context.
func (t Catalogue) clashes() []KeyTrouble {
	var out []KeyTrouble
	for _, in := range []Context{Desk, Text} {
		taken := map[string]Action{}
		for _, a := range t {
			for _, k := range a.Keys {
				other, clash := taken[k]
				switch {
				case !a.heard(k, in):
					continue
				case !clash || a.In != in && other.In != in: // two of the Desk are told once
				case other.ID == a.ID:
					out = append(out, KeyTrouble{ID: a.ID, Key: k, Why: k + " is given twice"})
				default:
					why := fmt.Sprintf("%s means %s and %s in the context %q", k, other.ID, a.ID, string(in))
					out = append(out, KeyTrouble{ID: a.ID, Key: k, With: other.ID, Why: why})
				}
				taken[k] = a
			}
		}
	}
	return out
}

// unusable says why a key cannot be bound in a context; it returns "" if it can.
func unusable(key string, in Context) string {
	if hint, ok := confused[key]; ok {
		return hint
	}
	mods, base := modifiers(key)
	known := utf8.RuneCountInString(base) == 1 && printable(base) || slices.Contains(named, base)
	switch {
	case !known || strings.HasPrefix(key, "+") && key != "+":
		return fmt.Sprintf("%q is no key: it is a letter, a sign or a name like enter, pgdown or f5, after ctrl+, alt+ or shift+", key)
	case utf8.RuneCountInString(base) == 1 && slices.Contains(mods, "shift"):
		return fmt.Sprintf("a terminal sends the letter or sign that %s types: write that", key)
	case slices.Contains(mods, "ctrl") && base != strings.ToLower(base):
		return "write ctrl+ with a small letter"
	case in == Text && len(mods) == 0 && (utf8.RuneCountInString(base) == 1 || base == "space"):
		return fmt.Sprintf("%s is typed as text there", key)
	}
	return ""
}

// confused are the keys that a terminal sends as other keys.
var confused = map[string]string{
	"ctrl+i": "terminals send ctrl+i as tab", "ctrl+m": "terminals send ctrl+m as enter", "ctrl+[": "terminals send ctrl+[ as esc",
	"ctrl+h": "terminals send ctrl+h as backspace", "ctrl+j": "terminals send ctrl+j as a line feed", " ": "write space",
}

// named are the keys with names, as Bubble Tea spells them.
var named = strings.Fields(`enter tab space esc backspace delete insert up down left right home end pgup pgdown
	f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 f13 f14 f15 f16 f17 f18 f19 f20`)

// modifiers splits a key into modifiers and base.
func modifiers(key string) (mods []string, base string) {
	for {
		mod, rest, ok := strings.Cut(key, "+")
		if !ok || rest == "" || !slices.Contains([]string{"ctrl", "alt", "shift"}, mod) || slices.Contains(mods, mod) {
			return mods, key
		}
		mods, key = append(mods, mod), rest
	}
}

func printable(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsPrint(r) && !unicode.IsSpace(r) && r != utf8.RuneError
}

// Custom is an action of the operator's own, bound on the desk. Its effect is unknown, so it counts as one that writes.
func Custom(id ID, title, does, key string, ofItem bool) Action {
	a := Action{ID: id, Title: title, Does: does, In: Desk, Group: Customs, Writes: true, why: inEarnest}
	if key != "" {
		a.Keys = []string{key}
	}
	if ofItem {
		a.Single, a.why = true, all(inEarnest, anItem)
	}
	return a
}

// IDs returns the ids of the standard table.
func IDs() (ids []string) {
	for _, a := range Standard() {
		ids = append(ids, string(a.ID))
	}
	return ids
}

// inBraces matches what can be the id of an action in a sentence.
var inBraces = regexp.MustCompile(`\{[a-z-]+\}`)

// Keyed replaces each id in braces by the current key of that action: "{submit} send" becomes "ctrl+s send". Braces around other text stay.
func (t Catalogue) Keyed(sentence string) string {
	return inBraces.ReplaceAllStringFunc(sentence, func(s string) string {
		a := t.ByID(ID(strings.Trim(s, "{}")))
		if a.Title == "" {
			return s
		}
		return cmp.Or(a.Key(), t.KeyOf(Palette)) // an action without a key is found in the palette
	})
}

// layouts are keyboards with non-Latin letters, row by row, with the Latin keys at the same places. They are for terminals that do not
// report the place of a key. If two layouts disagree about a letter, the first one counts.
var layouts = []struct{ letters, latin string }{
	{"йцукенгшщзхъфывапролджэячсмитьбюё", "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"}, // Russian
	{"іїєґ", "s]'\\"}, // Ukrainian
	{"ςερτυθιοπασδφγηξκλζχψωβνμ", "wertyuiopasdfghjklzxcvbnm"},          // Greek
	{"קראטוןםפשדגכעיחלךףזסבהנמצתץ", "ertyuiopasdfghjkl;zxcvbnm,."},      // Hebrew
	{"ضصثقفغعهخحشسيبلاتنمكطئءرىةوزظ", "qwertyuiopasdfghjkl;'zxcvnm,./"}, // Arabic
	{"ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ", "qwertyuiopasdfghjklzxcvbnm"},        // Korean
	{"ㅃㅉㄸㄲㅆ", "QWERT"}, // Korean, with shift
}

// places maps the layouts' letters to the Latin keys.
var places = sync.OnceValue(func() map[string]string {
	shifted := map[rune]string{'[': "{", ']': "}", ';': ":", '\'': "\"", ',': "<", '.': ">", '`': "~", '\\': "|"}
	out := map[string]string{}
	put := func(letter rune, key string) {
		if _, known := out[string(letter)]; !known {
			out[string(letter)] = key
		}
	}
	for _, l := range layouts {
		latin := []rune(l.latin)
		for i, r := range []rune(l.letters) {
			put(r, string(latin[i]))
		}
		for i, r := range []rune(strings.ToUpper(l.letters)) { // letters without capitals are known by now
			put(r, cmp.Or(shifted[latin[i]], strings.ToUpper(string(latin[i]))))
		}
	}
	return out
})
