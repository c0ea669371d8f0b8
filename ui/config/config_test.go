package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"vise/model"
	"vise/store/storetest"
	"vise/ui/action"
)

func nothing(string) string { return "" }

// in is a place whose file holds text.
func in(t *testing.T, text string) Place {
	t.Helper()
	dir := t.TempDir()
	at := Place{File: filepath.Join(dir, "config.yaml"), Themes: filepath.Join(dir, "themes")}
	if err := os.WriteFile(at.File, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

func TestAFileSetsWhatItNamesAndNothingElse(t *testing.T) {
	at := in(t, `
theme: light
mouse: off
notifications: {via: off}
quiet_hours: 22:00-07:00
keys:
  pick: f6
  complete: [c, f2]
  unfold: []
commands:
  - {name: Open in editor, key: ctrl+e, run: [code, "{plan}"]}
filters: {old: "class:queued age:>1d"}
todos: {stale: {blocked: 72h, in_progress: 2h}}
`)
	s := Load(at, nothing)
	if len(s.Problems) > 0 {
		t.Fatal(s.Problems)
	}
	want := Default()
	if s.Theme != "light" || s.Mouse || s.Notifications.Via != ViaOff || s.Notifications.Batch != want.Notifications.Batch ||
		s.QuietHours != "22:00-07:00" || s.Todos.Stale.InProgress.Duration() != 2*time.Hour || s.Todos.Stale.Interrupted != want.Todos.Stale.Interrupted ||
		s.Filters["old"] == "" || s.Glyphs != glyphsAuto {
		t.Errorf("got %+v", s.Config)
	}
	for path, line := range map[string]int{"theme": 2, "mouse": 3, "notifications.via": 4, "todos.stale.in_progress": 13} {
		if o := s.Origins[path]; o.Source != "file" || o.Line != line {
			t.Errorf("%s comes from %+v, want line %d", path, o, line)
		}
	}
}

func TestKeysOfTheFileAreInTheTable(t *testing.T) {
	s := Load(in(t, "keys: {pick: f6, unfold: []}\ncommands: [{name: Log, key: f7, run: [git, log]}]\n"), nothing)
	if len(s.Problems) > 0 {
		t.Fatal(s.Problems)
	}
	got := map[action.ID][]string{}
	for _, a := range s.Table() {
		got[a.ID] = a.Keys
	}
	if strings.Join(got[action.Pick], " ") != "f6" || len(got[action.Unfold]) != 0 || strings.Join(got["own-log"], " ") != "f7" {
		t.Errorf("pick %v, unfold %v, log %v", got[action.Pick], got[action.Unfold], got["own-log"])
	}
}

// A part can be that of another place, with or without changes. All mistakes are told, and what is right is taken.
func TestAliasesAndSeveralMistakes(t *testing.T) {
	s := Load(in(t, "agents:\n  a: &usual {command: [x, y], turn: {rounds: 3}}\n  b: *usual\n  c: {<<: *usual, turn: {rounds: many}}\n"+
		"mouse: perhaps\ntheme: light\nglyphs:\n"), nothing)
	if len(s.Problems) != 2 || s.Problems[0].Path != "agents.c.turn.rounds" || s.Problems[0].Line != 4 || s.Problems[1].Line != 5 {
		t.Errorf("problems %v", s.Problems)
	}
	a, b, c := s.Agents["a"], s.Agents["b"], s.Agents["c"]
	if len(a.Command) != 2 || a.Turn.Rounds != 3 || !reflect.DeepEqual(a, b) || !reflect.DeepEqual(a.Command, c.Command) || c.Turn.Rounds != 3 {
		t.Errorf("read as %+v, %+v and %+v", a, b, c)
	}
	if s.Theme != "light" || s.Glyphs != "auto" || !s.Mouse {
		t.Errorf("read as %+v", s.Config)
	}
}

// Each mistake is reported with its line and the probable correction, and leaves its default.
func TestAMistakeIsToldWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a typo":                   {"theem: dark\n", ":1: theem: unknown key; do you mean theme?"},
		"a typo below":             {"mouse: on\nnotifications:\n  vai: bell\n", ":3: notifications.vai: unknown key; do you mean via?"},
		"an unknown word":          {"glyphs: emoji\n", `"emoji" is none of auto, unicode, ascii`},
		"no adapter":               {"agents: {a: {adapter: claude, command: [claude]}}\n", "agents.a.adapter: \"claude\" is none of acp, rounds, text"},
		"an unknown theme":         {"theme: drak\n", `:1: theme: there is no theme "drak"; do you mean dark?`},
		"no boolean":               {"mouse: sometimes\n", `mouse: must be true or false, not "sometimes"`},
		"no span":                  {"notifications: {batch: soon}\n", "a length of time like"},
		"no time at all":           {"todos: {stale: {blocked: 0s}}\n", "longer than nothing"},
		"negative":                 {"todos: {stale: {blocked: -3h}}\n", "a length of time like"},
		"a list for a word":        {"theme: [dark]\n", "theme: must be a text"},
		"a word for a section":     {"keys: p\n", "keys: must be keys with values"},
		"a list at the top":        {"- theme\n", "must be keys with values"},
		"twice":                    {"mouse: on\nmouse: off\n", ":2: mouse: is there twice"},
		"hours":                    {"quiet_hours: night\n", "write them like 22:00-07:00"},
		"a clash":                  {"keys: {pick: c}\n", "c means pick and complete"},
		"a clash of its own":       {"commands: [{name: X, key: p, run: [x]}]\n", "p means pick and own-x"},
		"no action":                {"keys: {pik: x}\n", "keys.pik: there is no such action; do you mean pick?"},
		"no way":                   {"channels: {a: {needs: [asks]}}\n", "channels.a: needs one of ntfy, webhook and command"},
		"two ways":                 {"channels: {a: {ntfy: 'https://h/hidden', command: [x]}}\n", "needs one of"},
		"no address":               {"channels: {a: {webhook: 'hidden/topic'}}\n", "channels.a.webhook: is no address"},
		"no need":                  {"channels: {a: {command: [x], needs: [ask]}}\n", `"ask" is none of permission, asks`},
		"a channel's hours":        {"channels: {a: {command: [x], quiet_hours: late}}\n", "write them like 22:00-07:00"},
		"a channel that is a word": {"channels: {a: 'https://h/hidden'}\n", "channels.a: must be keys with values"},
		"a channel's name":         {"channels: {'a b': {command: [x]}}\n", "channel's name"},
		"no program":               {"commands: [{name: X}]\n", "commands[0].run: names no program"},
		"no name":                  {"commands: [{run: [x]}]\n", "commands[0].name: a command needs a name"},
		"an escape in a name":      {"commands: [{name: \"a\\e]52;c;x\\a\", run: [x]}]\n", "needs a name on one line"},
		"a filter's name":          {"filters: {open: x}\n", "vise list has a filter of that name"},
		"not YAML":                 {"theme: [dark\n", "not YAML"},
		"a tab":                    {"keys:\n\tpick: p\n", ":2: not YAML"},
		"large":                    {strings.Repeat("# 50 MB\n", 50<<20/8), "has more than 262144 bytes"},
		"not text":                 {"theme: \xff\xfe\n", "not UTF-8"},
		"an unknown key's escapes": {"\"a\\e[31mb\": 1\n", "unknown key"},
	} {
		s := Load(in(t, c.text), nothing)
		all := ""
		for _, p := range s.Problems {
			all += p.String() + "\n"
		}
		if !strings.Contains(all, c.want) {
			t.Errorf("%s: got %q, want %q in it", name, all, c.want)
		}
		if strings.Contains(all, "hidden") {
			t.Errorf("%s: the problem tells a secret: %q", name, all)
		}
		if strings.ContainsAny(all, "\x1b\a") {
			t.Errorf("%s: the problem drives the terminal: %q", name, all)
		}
		if d := Default(); s.Theme != d.Theme || s.Notifications != d.Notifications || s.Glyphs != d.Glyphs || s.Todos != d.Todos || len(s.Keys) != 0 || len(s.Commands) != 0 {
			t.Errorf("%s: what is wrong was taken: %+v", name, s.Config)
		}
	}
}

func TestWhatIsNoFileIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"a directory": {func(p string) error { return os.Mkdir(p, 0o700) }, "is not a regular file"},
		"a pipe":      {func(p string) error { storetest.Pipe(t, p); return nil }, "is not a regular file"},
		"a device":    {func(p string) error { return os.Symlink("/dev/zero", p) }, "is not a regular file"},
		"a loop":      {func(p string) error { return os.Symlink(p, p) }, "cannot be read"},
		"unreadable": {func(p string) error {
			if os.Geteuid() == 0 {
				return os.Mkdir(p, 0) // root reads any file
			}
			return os.WriteFile(p, nil, 0)
		}, "cannot be read"},
	} {
		dir := t.TempDir()
		at := Place{File: filepath.Join(dir, "config.yaml"), Themes: filepath.Join(dir, "themes")}
		if err := c.make(at.File); err != nil {
			t.Fatal(err)
		}
		s := Load(at, nothing)
		if len(s.Problems) != 1 || !strings.Contains(s.Problems[0].String(), c.want) {
			t.Errorf("%s: got %v, want %q", name, s.Problems, c.want)
		}
	}
}

// The secret part of an address is shown nowhere that settings are shown.
func TestAnAddressIsShownByItsHost(t *testing.T) {
	s := Load(in(t, "channels: {a: {ntfy: 'https://me:hidden@h.example:8/hidden?hidden=1', needs: [asks]}, b: {webhook: 'http://i/hidden'}}\n"), nothing)
	if len(s.Problems) > 0 {
		t.Fatal(s.Problems)
	}
	all := fmt.Sprintf("%v %+v %#v", s.Channels, s.Channels, s.Channels)
	for _, v := range s.Values() {
		all += v.Spelled()
	}
	raw, err := json.Marshal(s.Values())
	if all += string(raw); err != nil || strings.Contains(all, "hidden") || !strings.Contains(all, "https://h.example:8/…") {
		t.Errorf("it shows %s, %v", all, err)
	}
	if x := s.Channels["a"]; x.Ntfy != "https://me:hidden@h.example:8/hidden?hidden=1" || !x.Takes(model.Inboxed{Need: model.NeedAnswer}) ||
		x.Takes(model.Inboxed{Need: model.NeedNudge}) || !s.Channels["b"].Takes(model.Inboxed{Need: model.NeedNudge}) {
		t.Errorf("it is read as %+v", x)
	}
}

func TestNoFileIsNoProblem(t *testing.T) {
	for _, text := range []string{"", "# only a comment\n", "---\n", "keys:\ncommands:\nfilters: {}\n"} {
		if s := Load(in(t, text), nothing); len(s.Problems) > 0 {
			t.Errorf("%q: %v", text, s.Problems)
		}
	}
	s := Load(Place{File: filepath.Join(t.TempDir(), "a", "config.yaml"), Themes: filepath.Join(t.TempDir(), "b")}, nothing)
	if len(s.Problems) > 0 {
		t.Error(s.Problems)
	}
}

func TestTheEnvironmentSpeaksOverTheFile(t *testing.T) {
	s := Load(in(t, "theme: light\n"), func(name string) string { return map[string]string{"VISE_THEME": "mono", "ACCESSIBLE": "1"}[name] })
	if s.Theme != "mono" || !s.Accessible || s.Origins["theme"].String() != "$VISE_THEME" || s.Origins["accessible"].String() != "$ACCESSIBLE" {
		t.Errorf("got %q, %v, %v", s.Theme, s.Accessible, s.Origins)
	}
	s = Load(in(t, "theme: light\n"), func(name string) string { return map[string]string{"VISE_THEME": "none"}[name] })
	if s.Theme != "auto" || len(s.Problems) != 1 {
		t.Errorf("got %q, %v", s.Theme, s.Problems)
	}
}

func TestQuietHoursAreByTheClockOnTheWall(t *testing.T) {
	at := func(h, m int) time.Time { return time.Date(2026, 11, 20, h, m, 0, 0, time.FixedZone("CET", 3600)) }
	for _, c := range []struct {
		q    quietHours
		now  time.Time
		want bool
	}{
		{"", at(3, 0), false}, {"22:00-07:00", at(23, 0), true}, {"22:00-07:00", at(6, 59), true}, {"22:00-07:00", at(7, 0), false},
		{"12:00-13:30", at(13, 0), true}, {"12:00-13:30", at(14, 0), false}, {"9:00 - 10:00", at(9, 30), true},
	} {
		if got := c.q.Hold(c.now); got != c.want {
			t.Errorf("%q at %s: %v", c.q, c.now.Format("15:04"), got)
		}
	}
}

// The schema and the program accept the same settings.
func TestTheSchemaIsMadeFromTheStruct(t *testing.T) {
	s, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var read jsonschema.Schema
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	resolved, err := read.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, good := range map[string]bool{
		"{}": true, "theme: dark": true, "keys: {pick: f3}": true, "keys: {pick: [f3, f4]}": true,
		"commands: [{name: X, run: [x]}]": true, "commands: [{name: X}]": false, "theem: dark": false,
		"glyphs: emoji": false, "notifications: {via: bell}": true, "notifications: {vai: bell}": false,
		"notifications: {batch: 50ms}": true, "notifications: {batch: soon}": false, "agents: {a: {shell: x, turn: {timeout: 5m}}}": true,
		"quiet_hours: night": false, "mouse: 3": false,
	} {
		var v map[string]any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); (err == nil) != good {
			t.Errorf("%q: the schema says %v", text, err)
		}
		if got := Load(in(t, text), nothing).Problems; (len(got) == 0) != good {
			t.Errorf("%q: the program says %v", text, got)
		}
	}
	if read.Properties["theme"].Default == nil || read.Properties["theme"].Description == "" {
		t.Error("the theme has no default or no description")
	}
}

func FuzzAnyFileIsReadOrRefused(f *testing.F) {
	f.Add("theme: dark\nkeys: {pick: x}\n")
	f.Add("a: &a [*a]\n")
	f.Add("? {a: b}\n: c\n")
	f.Add("keys: {? [x] : y}\n")
	f.Add("commands:\n- 1\n- {run: {a: b}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			t.Skip()
		}
		c := Default()
		r := reader{file: "f", origins: map[string]origin{}}
		r.read([]byte(text), &c)
		for _, p := range r.problems {
			if strings.ContainsAny(p.String(), "\x1b\n\a") {
				t.Errorf("a problem drives the terminal: %q", p)
			}
		}
	})
}

func TestTheExamplesOfThePageRead(t *testing.T) {
	raw, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(raw), "```yaml\n")
	if len(parts) != 3 {
		t.Fatalf("%d examples", len(parts)-1)
	}
	example := func(i int) string { text, _, _ := strings.Cut(parts[i], "```"); return text }
	s := Load(withThemes(t, strings.Replace(example(1), "theme: auto", "theme: mine", 1), map[string]string{"mine.yaml": example(2)}), nothing)
	if len(s.Problems) > 0 || s.Palette(true).Accent != "#ffd000" {
		t.Errorf("got %v", s.Problems)
	}
	for _, name := range fieldNames(reflect.TypeFor[Config]()) {
		if !strings.Contains(string(raw), name+":") {
			t.Errorf("the page does not tell of %s", name)
		}
	}
}
