package cli

import (
	"encoding/json"

	"vise/model"
	"vise/ui/config"
)

// configAnswer is the data of config and its subcommands.
type configAnswer struct {
	File     string           `json:"file"`
	Values   []config.Value   `json:"values,omitempty"`
	Problems []config.Problem `json:"problems"`
}

func configVerb() verb {
	var origin bool
	return verb{
		use: "config", short: "Show, check and describe the configuration",
		long: `config reads config.yaml in vise's directory of the user's configuration ($XDG_CONFIG_HOME, else ~/.config),
and the themes beside it. A running console takes changes as they are saved.`,
		verbs: []verb{
			{
				use: "show", short: "Print the current value of every setting", example: "vise admin config show --origin", who: anybody,
				flags: flags{{"origin", &origin, "show where each value comes from"}},
				run:   ofSettings(func(at config.Place, s config.Settings) answer { return configShow(at, s, origin) }),
			},
			{
				use: "check", short: "Check the file; exit 1 if something is wrong", example: "vise admin config check", who: anybody,
				run: ofSettings(configCheck),
			},
			{
				use: "schema", short: "Print the JSON schema of the file, for editors",
				example: "vise admin config schema > config.schema.json", who: anybody, run: configSchema,
			},
		},
	}
}

// ofSettings makes the body of a command that shows the settings as vise reads them.
func ofSettings(show func(config.Place, config.Settings) answer) body {
	return func(e *Env) (answer, error) {
		at, s, err := loaded(e)
		if err != nil {
			return nil, err
		}
		return show(at, s), nil
	}
}

// loaded returns the configuration, and its place.
func loaded(e *Env) (at config.Place, s config.Settings, err error) {
	if at, err = config.PlaceOf(e.getenv); err != nil {
		return at, s, model.Invalid("there is no place for a configuration").Because(err).
			WithHint("set XDG_CONFIG_HOME or HOME")
	}
	return at, config.Load(at, e.getenv), nil
}

func configShow(at config.Place, s config.Settings, origin bool) answer {
	out := configAnswer{File: at.File, Values: s.Values(), Problems: listed(s.Problems)}
	return &reply{data: out, warnings: configWarnings(s), text: func(p *page) {
		rows := make([][]string, len(out.Values))
		for i, v := range out.Values {
			rows[i] = []string{v.Path, v.Spelled()}
			if origin {
				rows[i] = append(rows[i], v.Origin.String())
			}
		}
		p.plainTable(1, rows)
	}}
}

func configCheck(at config.Place, s config.Settings) answer {
	out := configAnswer{File: at.File, Problems: listed(s.Problems)}
	return &reply{data: out, exit: failed(len(s.Problems) > 0), text: func(p *page) {
		for _, x := range s.Problems {
			p.line("%s", x)
		}
		if len(s.Problems) == 0 {
			p.say("nothing is wrong with %s", at.File)
		}
	}}
}

func configSchema(*Env) (answer, error) {
	s, err := config.Schema()
	if err != nil {
		return nil, err
	}
	raw, err := json.MarshalIndent(s, "", "  ")
	data := struct {
		Schema any `json:"schema"`
	}{s}
	return wholeText(data, string(raw)+"\n"), err
}

// configWarnings returns the configuration's problems as warnings for another command's answer.
func configWarnings(s config.Settings) []model.Warning {
	var out []model.Warning
	for _, x := range s.Problems {
		out = append(out, model.Warning{Kind: model.WarnConfiguration, Message: x.String()})
	}
	return out
}
