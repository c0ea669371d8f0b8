package cli

import (
	"testing"

	"vise/themes"
	"vise/ui/config"
)

func TestTheListOfThemesSaysWhichHold(t *testing.T) {
	s := config.Defaults()
	s.Palettes["mine"] = s.Palettes["dark"]
	holds := map[string]string{}
	for _, x := range themeGists(s) {
		holds[x.Name] = x.From + " " + x.Holds
	}
	if len(holds) != len(themes.All())+1 {
		t.Errorf("%d themes are listed", len(holds))
	}
	for name, want := range map[string]string{"dark": "built_in dark", "light": "built_in light", "mono": "built_in ", "mine": "own "} {
		if holds[name] != want {
			t.Errorf("%s is %q, not %q", name, holds[name], want)
		}
	}
	s.Theme = "mine"
	for _, x := range themeGists(s) {
		if (x.Holds == "all") != (x.Name == "mine") || x.Holds != "" && x.Name != "mine" {
			t.Errorf("with a theme by name, %+v", x)
		}
	}
}
