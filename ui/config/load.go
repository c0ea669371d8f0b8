package config

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"vise/model"
	"vise/store/files"
	"vise/themes"
)

// Settings are the values in use, the origin of each, and the problems of the files.
type Settings struct {
	Config
	// Origins has the origin of each value that is not a default, by its path.
	Origins map[string]origin
	// Palettes are the built-in themes and the custom ones, by name.
	Palettes map[string]themes.Palette
	// Problems lists what is wrong. Config has the default value for each of them.
	Problems Problems
}

// Defaults returns the settings without any file or variable.
func Defaults() Settings {
	s := Settings{Config: Default(), Origins: map[string]origin{}, Palettes: map[string]themes.Palette{}}
	for _, p := range themes.All() {
		s.Palettes[p.Name] = p
	}
	return s
}

// Load reads the configuration at a place. Its result can always be used: a wrong value keeps its default and is listed in Problems.
func Load(at Place, getenv func(string) string) Settings {
	s := Defaults()
	bad := s.themes(at.Themes)
	s.file(at.File)
	s.environment(getenv)
	s.settle(at.File, bad)
	return s
}

// Refusal returns an error if the file, or the part of it that a command needs, cannot be read.
func (s Settings) Refusal(file, part, hint string) error {
	wrong := slices.DeleteFunc(slices.Clone(s.Problems), func(p Problem) bool {
		return p.File != file || p.Path != "" && !below(p.Path, part)
	})
	if len(wrong) == 0 {
		return nil
	}
	return model.Invalid("the configuration %s does not read", model.Text(file)).Because(wrong).At(part,
		"%s", hint)
}

// Names returns the keys of a map in order.
func Names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// file reads the configuration file over the defaults.
func (s *Settings) file(path string) {
	_, raw, err := ReadFile(path)
	switch {
	case files.IsGone(err):
		return
	case err != nil:
		s.Problems = append(s.Problems, Problem{File: path, Message: "cannot be read: " + model.Text(err.Error()).String()})
		return
	}
	r := reader{file: path, origins: s.Origins}
	r.read(raw, &s.Config)
	s.Problems = append(s.Problems, r.problems...)
}

// environment applies the environment's variables over the file.
func (s *Settings) environment(getenv func(string) string) {
	if v := getenv("VISE_THEME"); v != "" {
		s.Theme, s.Origins["theme"] = v, origin{Source: "environment", Name: "VISE_THEME"}
	}
	if v := getenv("ACCESSIBLE"); v != "" && v != "0" {
		s.Accessible, s.Origins["accessible"] = true, origin{Source: "environment", Name: "ACCESSIBLE"}
	}
}

// settle resets values that do not fit together. bad are the themes that cannot be read.
func (s *Settings) settle(path string, bad []string) {
	c := checker{Config: s.Config, themes: append(Names(s.Palettes), bad...)}
	for _, f := range c.check() {
		o := s.origin(f.path)
		s.Problems = append(s.Problems, Problem{File: cmp.Or(o.Name, path), Line: o.Line, Path: f.path, Message: f.message, Hint: f.hint})
		s.takeBack(f.path)
	}
	for path, name := range map[string]string{"theme": s.Theme, "dark_theme": s.DarkTheme, "light_theme": s.LightTheme} {
		if slices.Contains(bad, name) {
			s.takeBack(path)
		}
	}
}

// origin returns the origin of a path, or of the first value below it.
func (s *Settings) origin(path string) origin {
	for _, p := range Names(s.Origins) {
		if below(p, path) {
			return s.Origins[p]
		}
	}
	return origin{}
}

// below reports whether path is whole or a part of it.
func below(path, whole string) bool {
	rest, ok := strings.CutPrefix(path, whole)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// takeBack resets a wrong value to the default, together with the part that it belongs to. Keys and commands are one part.
func (s *Settings) takeBack(path string) {
	part, _, _ := strings.Cut(strings.ReplaceAll(path, "[", "."), ".")
	parts := []string{part}
	if part == "keys" || part == "commands" {
		parts = []string{"keys", "commands"}
	}
	usual := Default()
	for _, p := range parts {
		field(reflect.ValueOf(&s.Config).Elem(), p).Set(field(reflect.ValueOf(&usual).Elem(), p))
		maps.DeleteFunc(s.Origins, func(o string, _ origin) bool { return below(o, p) })
	}
}

// Palette returns the theme for a terminal with a dark or a light background.
func (s Settings) Palette(isDark bool) themes.Palette {
	name := s.Theme
	switch {
	case name == ThemeAuto && isDark:
		name = s.DarkTheme
	case name == ThemeAuto:
		name = s.LightTheme
	}
	return s.Palettes[name]
}
