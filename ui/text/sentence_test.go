package text

import "testing"

// A sentence begins with a capital, unless it begins with a name, and ends with a full stop.
func TestASentenceKeepsTheNameAtItsBeginning(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		"say why, or esc":                   "Say why, or esc.",
		"done!":                             "Done!",
		"nothing, so far":                   "Nothing, so far.",
		"it's so":                           "It's so.",
		"vise does not run it":              "vise does not run it.",
		"review/777 does not exist":         "review/777 does not exist.",
		"wi-7f3k is over":                   "wi-7f3k is over.",
		"plan.md is missing":                "plan.md is missing.",
		"blocked_by must not be empty":      "blocked_by must not be empty.",
		"has: knows report":                 "has: knows report.",
		"age: is like >1d":                  "age: is like >1d.",
		`"lru" is none of the choices`:      `"lru" is none of the choices.`,
		"in-01m8 is revoked":                "in-01m8 is revoked.",
		"agent:ann may not do it":           "agent:ann may not do it.",
		"v8 is a name, v alone too, \u00e9": "v8 is a name, v alone too, \u00e9.",
	} {
		if got := Sentence(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
