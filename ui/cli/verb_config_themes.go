package cli

import (
	"vise/model"
	"vise/themes"
	"vise/ui/config"
)

// themeGist is a theme as it is listed.
type themeGist struct {
	Name string `json:"name"`
	// From is built_in, or own for one of the directory of themes.
	From string `json:"from"`
	// Holds: dark or light on such a background, all where it is named; empty: it is not used.
	Holds string `json:"holds,omitempty"`
}

func (a *app) configThemes() (answer, error) {
	at, err := configPlace(a.getenv)
	if err != nil {
		return answer{}, err
	}
	s := config.Load(at, a.getenv)
	list := themeGists(s)
	out := struct {
		Directory string      `json:"directory"`
		Themes    []themeGist `json:"themes"`
	}{at.Themes, list}
	return answer{data: out, warnings: configWarnings(s), text: func(p *page) {
		rows := make([][]string, len(list))
		for i, x := range list {
			rows[i] = []string{model.Text(x.Name).String(), x.From, x.Holds}
		}
		p.plainTable(0, rows)
	}}, nil
}

func themeGists(s config.Settings) []themeGist {
	out := []themeGist{}
	for _, name := range config.Names(s.Palettes) {
		x := themeGist{Name: name, From: "own"}
		if _, ok := themes.ByName(name); ok {
			x.From = "built_in"
		}
		switch {
		case s.Theme == name:
			x.Holds = "all"
		case s.Theme == config.ThemeAuto && s.DarkTheme == name:
			x.Holds = "dark"
		case s.Theme == config.ThemeAuto && s.LightTheme == name:
			x.Holds = "light"
		}
		out = append(out, x)
	}
	return out
}
