package config

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

func TestAFilterIsAddedAndTheRestStays(t *testing.T) {
	for name, c := range map[string]struct{ before, want string }{
		"no file":      {"", "filters:\n  \"n\": \"w\"\n"},
		"no newline":   {"theme: dark", "theme: dark\nfilters:\n  \"n\": \"w\"\n"},
		"comments":     {"# mine\ntheme: dark # nice\n\n", "# mine\ntheme: dark # nice\n\nfilters:\n  \"n\": \"w\"\n"},
		"block":        {"filters:\n    a: b # keep\ntheme: dark\n", "filters:\n    \"n\": \"w\"\n    a: b # keep\ntheme: dark\n"},
		"flow":         {"filters: {a: b}\n", "filters: {\"n\": \"w\", a: b}\n"},
		"empty flow":   {"filters: {}\n", "filters: {\"n\": \"w\"}\n"},
		"empty":        {"filters:\ntheme: dark\n", "filters:\n  \"n\": \"w\"\ntheme: dark\n"},
		"at the end":   {"theme: dark\nfilters:", "theme: dark\nfilters:\n  \"n\": \"w\"\n"},
		"other script": {"filters: {\"日本\": b}\n", "filters: {\"n\": \"w\", \"日本\": b}\n"},
	} {
		got, err := WithFilter([]byte(c.before), "n", "w")
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
}

func TestAFilterThatCannotBeAddedIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ before, filter, words, want string }{
		"there already": {"filters: {n: x}\n", "n", "w", "there is a filter n already"},
		"not YAML":      {"theme: [\n", "n", "w", "not YAML"},
		"a bad file":    {"theem: dark\n", "n", "w", "unknown key"},
		"no mapping":    {"- a\n", "n", "w", "cannot be added"},
		"an escape":     {"", "n", "\x1b[31m", "on one line"},
		"no words":      {"", "n", "", "on one line"},
		"a list":        {"filters: [a]\n", "n", "w", "cannot be added"},
	} {
		if got, err := WithFilter([]byte(c.before), c.filter, c.words); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// Whatever the words are, a saved filter is read back the same, and the other filters stay.
func TestAnyWordsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name, words := rapid.String().Draw(t, "name"), rapid.String().Draw(t, "words")
		before := rapid.SampledFrom([]string{"", "filters: {a: b}\n", "filters:\n  a: b\n# end\n", "theme: dark\n"}).Draw(t, "before")
		out, err := WithFilter([]byte(before), name, words)
		if err != nil {
			return
		}
		var got struct {
			Filters map[string]string `yaml:"filters"`
		}
		if err := yaml.Unmarshal(out, &got); err != nil || got.Filters[name] != words {
			t.Fatalf("got %q (%v) of %q", got.Filters[name], err, out)
		}
		if strings.Contains(before, "a: b") && name != "a" && got.Filters["a"] != "b" {
			t.Fatalf("another filter is gone: %q", out)
		}
	})
}

func TestASettingIsChangedAndTheRestStays(t *testing.T) {
	for name, c := range map[string]struct{ before, want string }{
		"no file":   {"", "theme: light\n"},
		"there":     {"# mine\ntheme: dark # nice\nmouse: off\n", "# mine\ntheme: light # nice\nmouse: off\n"},
		"quoted":    {"theme: \"dark\"\n", "theme: light\n"},
		"flow":      {"{theme: dark, mouse: off}\n", "{theme: light, mouse: off}\n"},
		"elsewhere": {"filters: {theme: \"theme: dark\"}\n", "filters: {theme: \"theme: dark\"}\ntheme: light\n"},
	} {
		got, err := WithSetting([]byte(c.before), "theme", "light")
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
	for before, value := range map[string]string{"theme: [\n": "light", "theem: dark\n": "light", "theme: [dark]\n": "light",
		"theme: |\n  dark\n": "light", "mouse: on\n": "a: b", "- a\n": "light"} {
		if got, err := WithSetting([]byte(before), "theme", value); err == nil {
			t.Errorf("%q and %q became %q", before, value, got)
		}
	}
}

func TestEachChoiceCanBeSet(t *testing.T) {
	for _, c := range Defaults().Choices() {
		for _, v := range c.Values {
			if _, err := WithSetting(nil, c.Name, v); err != nil {
				t.Errorf("%s: %s: %v", c.Name, v, err)
			}
		}
	}
}
