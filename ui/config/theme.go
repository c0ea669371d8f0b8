package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"vise/model"
	"vise/store/files"
	"vise/themes"
)

// maxThemes bounds the number of the operator's themes.
const maxThemes = 200

// themeFile is a theme's file. Colours that it does not set come from the built-in theme that it extends.
type themeFile struct {
	Extends        string `yaml:"extends"`
	themes.Palette `yaml:",inline"`
}

// themes reads the operator's themes in addition to the built-in ones, and returns the names of the wrong ones.
func (s *Settings) themes(dir string) (bad []string) {
	entries, err := files.ReadDir(dir)
	if err != nil {
		if !files.IsGone(err) {
			s.Problems = append(s.Problems, Problem{File: dir, Message: "cannot be read: " + model.Text(err.Error()).String()})
		}
		return nil
	}
	read := 0
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".yaml")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		r := reader{file: filepath.Join(dir, e.Name()), origins: map[string]origin{}}
		_, builtIn := themes.ByName(name)
		switch {
		case builtIn || name == ThemeAuto: // the built-in theme stays usable
			r.fail(fmt.Sprintf("a theme called %s is built in", name), "give the file another name, and extend it")
		case read == maxThemes:
			r.fail(fmt.Sprintf("there are more than %d themes", maxThemes), "")
		default:
			read++
			if p, ok := r.palette(name); ok {
				s.Palettes[name] = p
			} else {
				bad = append(bad, name)
			}
		}
		s.Problems = append(s.Problems, r.problems...)
	}
	return bad
}

// fail adds a problem of the whole file.
func (r *reader) fail(message, hint string) { r.add(&yaml.Node{}, "", message, hint) }

// palette reads the theme of this name. ok is false if something in it is wrong.
func (r *reader) palette(name string) (p themes.Palette, ok bool) {
	if !model.ValidID(name) {
		r.fail("is no name for a theme", "use 1 to 64 of a-z, 0-9, - and _")
		return p, false
	}
	_, raw, err := ReadFile(r.file)
	if err != nil {
		r.fail("cannot be read: "+model.Text(err.Error()).String(), "")
		return p, false
	}
	file := themeFile{}
	_ = yaml.Unmarshal(raw, &file) // only what it extends; read finds what is wrong
	if file.Palette, ok = themes.ByName(file.Extends); !ok && file.Extends != "" {
		r.fail(fmt.Sprintf("extends %q, which is no built-in theme", file.Extends), meant(file.Extends, Names(Defaults().Palettes)))
		return p, false
	}
	file.Palette.Name = name
	r.read(raw, &file)
	r.colours(&file.Palette)
	if file.Palette.Name != name {
		r.add(&yaml.Node{}, "name", "a theme has the name of its file", "leave it out")
	}
	if len(r.problems) > 0 {
		return p, false
	}
	return file.Palette, true
}

// colours checks the colours of a palette.
func (r *reader) colours(p *themes.Palette) {
	v := reflect.ValueOf(p).Elem()
	for _, name := range fieldNames(v.Type()) {
		if c, ok := field(v, name).Addr().Interface().(*themes.Color); ok && !c.Valid() {
			const want = "must be a colour: #rrggbb, one of the terminal's own 0 to 255, or empty, not %q"
			r.add(&yaml.Node{Line: r.origins[name].Line}, name, fmt.Sprintf(want, string(*c)), "")
		}
	}
}
