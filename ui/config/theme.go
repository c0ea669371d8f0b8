package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"vise/model"
	"vise/store/files"
	"vise/themes"
)

// maxThemes bounds the number of files in the themes' directory.
const maxThemes = 200

// themeFile is a theme's file. Colours that it does not set come from the theme that it extends.
type themeFile struct {
	Extends        string `yaml:"extends"`
	themes.Palette `yaml:",inline"`
}

// themeReader reads the custom themes.
type themeReader struct {
	*Settings
	dir string
	raw map[string][]byte
	// bad are the names of the themes that could not be read.
	bad map[string]bool
}

// themes reads the operator's themes in addition to the built-in ones, and returns the names of the wrong ones.
func (s *Settings) themes(dir string) (bad []string) {
	entries, err := files.ReadDir(dir)
	if err != nil {
		if !files.IsGone(err) {
			s.addProblem(dir, "cannot be read: "+model.Text(err.Error()).String())
		}
		return nil
	}
	t := themeReader{Settings: s, dir: dir, raw: map[string][]byte{}, bad: map[string]bool{}}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok && !strings.HasPrefix(name, ".") {
			t.take(name)
		}
	}
	for _, name := range Names(t.raw) {
		t.palette(name, nil)
	}
	return Names(t.bad)
}

// take reads a theme's file. It is decoded after all files are read, because themes extend each other.
func (t *themeReader) take(name string) {
	path := filepath.Join(t.dir, name+".yaml")
	switch _, builtIn := themes.ByName(name); {
	case builtIn || name == ThemeAuto:
		t.addProblem(path, fmt.Sprintf("a theme called %s is built in", name), "give the file another name, and extend it")
		return // the built-in theme stays usable
	case !model.ValidID(name):
		t.fail(name, "is no name for a theme", "use 1 to 64 of a-z, 0-9, - and _")
		return
	case len(t.raw) == maxThemes:
		t.addProblem(path, fmt.Sprintf("there are more than %d themes", maxThemes))
		return
	}
	raw, err := ReadFile(path)
	if err != nil {
		t.fail(name, "cannot be read: "+model.Text(err.Error()).String())
		return
	}
	t.raw[name] = raw
}

func (s *Settings) addProblem(path, message string, hint ...string) {
	s.Problems = append(s.Problems, Problem{File: path, Message: message, Hint: strings.Join(hint, "")})
}

func (t *themeReader) fail(name, message string, hint ...string) {
	t.bad[name] = true
	t.addProblem(filepath.Join(t.dir, name+".yaml"), message, hint...)
}

// palette returns a theme with everything that it extends. chain are the themes that extend it.
func (t *themeReader) palette(name string, chain []string) (themes.Palette, bool) {
	if p, ok := t.Palettes[name]; ok {
		return p, true
	}
	if t.bad[name] {
		return themes.Palette{}, false
	}
	r := reader{file: filepath.Join(t.dir, name+".yaml"), origins: map[string]origin{}}
	head := themeFile{}
	(&reader{origins: map[string]origin{}}).read(t.raw[name], &head)
	file := themeFile{}
	if head.Extends != "" {
		base, why := t.base(head.Extends, append(chain, name))
		if why.message != "" {
			t.fail(name, why.message, why.hint)
			return themes.Palette{}, false
		}
		file.Palette = base
	}
	file.Palette.Name = name
	r.read(t.raw[name], &file)
	r.colours(&file.Palette)
	if file.Palette.Name != name {
		r.add(&yaml.Node{}, "name", "a theme has the name of its file", "leave it out")
	}
	t.Problems = append(t.Problems, r.problems...)
	if len(r.problems) > 0 {
		t.bad[name] = true
		return themes.Palette{}, false
	}
	t.Palettes[name] = file.Palette
	for _, w := range file.Palette.Weaknesses() { // weak colours are used all the same
		t.Problems = append(t.Problems, Problem{File: r.file, Path: w.Token, Message: w.String(), Advice: true})
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

// base returns the theme that another extends, or why it cannot be used.
func (t *themeReader) base(name string, chain []string) (themes.Palette, finding) {
	if slices.Contains(chain, name) {
		circle := model.Text(strings.Join(append(chain, name), " → "))
		return themes.Palette{}, finding{message: "extends itself: " + circle.String(), hint: "extend a built-in theme"}
	}
	_, builtIn := themes.ByName(name)
	if _, there := t.raw[name]; !there && !builtIn {
		known := append(Names(t.raw), Names(t.Palettes)...)
		return themes.Palette{}, finding{message: fmt.Sprintf("extends %q, which is no theme", name), hint: meant(name, known)}
	}
	p, ok := t.palette(name, chain)
	if !ok {
		return p, finding{message: fmt.Sprintf("extends %s, which does not read", name)}
	}
	return p, finding{}
}
