package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/store/storetest"
	"vise/themes"
)

// withThemes is a place with a configuration and theme files by name.
func withThemes(t *testing.T, text string, files map[string]string) Place {
	t.Helper()
	at := in(t, text)
	if err := os.Mkdir(at.Themes, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(at.Themes, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

func TestAThemeOfOnesOwnExtendsABuiltInOne(t *testing.T) {
	s := Load(withThemes(t, "theme: child\n", map[string]string{
		"child.yaml": "extends: dark\naccent: \"#ffffff\"\nblocked: 9\nselection: ''\n",
		"README.md":  "not a theme",
		".#tmp.yaml": "not: a theme",
	}), nothing)
	if len(s.Problems) > 0 {
		t.Fatal(s.Problems)
	}
	dark, _ := themes.ByName("dark")
	got := s.Palette(true)
	if got.Name != "child" || got.Accent != "#ffffff" || got.Blocked != "9" || got.Selection != "" || got.Text != dark.Text || !got.Dark {
		t.Errorf("got %+v", got)
	}
}

func TestAThemeThatIsWrongIsToldAndNotTaken(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nobody":        {map[string]string{"a.yaml": "extends: drak\n"}, `a.yaml: extends "drak", which is no built-in theme; do you mean dark?`},
		"another own":   {map[string]string{"a.yaml": "extends: b\n", "b.yaml": "extends: dark\n"}, `extends "b", which is no built-in theme; there are ansi16, `},
		"no colour":     {map[string]string{"a.yaml": "extends: dark\nqueued: \"#ff\"\n"}, `a.yaml:2: queued: must be a colour: #rrggbb`},
		"a typo":        {map[string]string{"a.yaml": "extends: dark\nacent: \"#ffffff\"\n"}, "acent: unknown key; do you mean accent?"},
		"not YAML":      {map[string]string{"a.yaml": "text: [\n"}, "not YAML"},
		"large":         {map[string]string{"a.yaml": strings.Repeat("# much\n", 100_000)}, "a.yaml has more than 262144 bytes"},
		"built in":      {map[string]string{"a.yaml": "", "dark.yaml": "text: \"#ffffff\"\n"}, "a theme called dark is built in"},
		"another name":  {map[string]string{"a.yaml": "name: b\n"}, "a theme has the name of its file"},
		"no usable one": {map[string]string{"a.yaml": "", "a b.yaml": ""}, "is no name for a theme"},
	} {
		s := Load(withThemes(t, "theme: a\n", c.files), nothing)
		all := ""
		for _, p := range s.Problems {
			all += p.String() + "\n"
		}
		if !strings.Contains(all, c.want) {
			t.Errorf("%s: got %q, want %q in it", name, all, c.want)
		}
		if got := s.Palette(true); got.Name == "" {
			t.Errorf("%s: no palette is left", name)
		}
		if strings.Contains(all, "there is no theme") {
			t.Errorf("%s: a theme that is wrong is said not to be there: %q", name, all)
		}
	}
}

func TestWhatIsNoThemeFileDoesNotHoldTheReaderUp(t *testing.T) {
	at := withThemes(t, "theme: mine\n", map[string]string{"mine.yaml": "extends: light\n"})
	storetest.Pipe(t, filepath.Join(at.Themes, "pipe.yaml"))
	if err := os.Mkdir(filepath.Join(at.Themes, "dir.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := Load(at, nothing)
	if len(s.Problems) != 2 || s.Palette(true).Name != "mine" {
		t.Errorf("got %v, theme %s", s.Problems, s.Palette(true).Name)
	}
}
