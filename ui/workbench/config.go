package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/cli"
	"vise/ui/config"
	"vise/ui/runner"
)

// configAnswer is the data of config and its parts.
type configAnswer struct {
	File     string           `json:"file"`
	Values   []config.Value   `json:"values,omitempty"`
	Problems []config.Problem `json:"problems"`
}

func configVerb(h cli.Host) *cobra.Command {
	c := &cobra.Command{
		Use: "config", Short: "Show, check and describe the configuration", Args: cli.NoSuchVerb,
		Long: "config reads config.yaml in vise's directory of the user's configuration ($XDG_CONFIG_HOME, else ~/.config),\n" +
			"and the themes beside it. A running console takes changes as they are saved.",
	}
	var origin bool
	show := &cobra.Command{Use: "show", Short: "Print every value that holds", Args: cli.NoArguments}
	show.Flags().BoolVar(&origin, "origin", false, "say where each value comes from")
	check := &cobra.Command{Use: "check", Short: "Say what is wrong with the file; exit 1 if something is", Args: cli.NoArguments}
	schema := &cobra.Command{Use: "schema", Short: "Print the JSON schema of the file, for editors", Args: cli.NoArguments}
	themed := &cobra.Command{Use: "themes", Short: "List the themes, built in and your own, and which holds", Args: cli.NoArguments}
	v := h.Verbs()
	getenv := h.Surroundings().Getenv
	c.AddCommand(
		v.Verb(show, func(context.Context, []string) (runner.Answer, error) { return configShow(h, origin) }),
		v.Verb(check, func(context.Context, []string) (runner.Answer, error) { return configCheck(getenv) }),
		v.Verb(themed, func(context.Context, []string) (runner.Answer, error) { return configThemes(h) }),
		v.Verb(schema, func(context.Context, []string) (runner.Answer, error) { return configSchema() }),
	)
	return v.Verb(c, func(context.Context, []string) (runner.Answer, error) {
		return runner.Answer{}, runner.Misuse("verb", "what to do with the configuration?").WithHint("vise config show, check, themes or schema")
	})
}

// place is where the configuration lies.
func place(getenv func(string) string) (config.Place, error) {
	at, err := config.PlaceOf(getenv)
	if err != nil {
		return at, model.Refuse(model.CodeInvalid, "there is no place for a configuration").Because(err).WithHint("set XDG_CONFIG_HOME or HOME")
	}
	return at, nil
}

func configShow(h cli.Host, origin bool) (runner.Answer, error) {
	getenv := h.Surroundings().Getenv
	at, err := place(getenv)
	if err != nil {
		return runner.Answer{}, err
	}
	s := config.Load(at, getenv)
	out := configAnswer{File: at.File, Values: s.Values(), Problems: problemsOf(s)}
	return runner.Answer{Data: out, Warnings: configWarnings(s), Text: func(w io.Writer) {
		rows := make([][]string, len(out.Values))
		for i, v := range out.Values {
			rows[i] = []string{model.Text(v.Path).String(), model.Text(v.Spelled()).String()}
			if origin {
				rows[i] = append(rows[i], v.Origin.String())
			}
		}
		h.Table(w, 1, rows)
	}}, nil
}

func configCheck(getenv func(string) string) (runner.Answer, error) {
	at, err := place(getenv)
	if err != nil {
		return runner.Answer{}, err
	}
	s := config.Load(at, getenv)
	out := configAnswer{File: at.File, Problems: problemsOf(s)}
	return runner.Answer{Data: out, Failed: len(s.Problems.Bad()) > 0, Text: func(w io.Writer) {
		for _, x := range s.Problems {
			fmt.Fprintln(w, x)
		}
		if len(s.Problems) == 0 {
			fmt.Fprintf(w, "nothing is wrong with %s\n", model.Text(at.File))
		}
	}}, nil
}

func configSchema() (runner.Answer, error) {
	s, err := config.Schema()
	if err != nil {
		return runner.Answer{}, err
	}
	raw, err := json.MarshalIndent(s, "", "  ")
	return runner.Answer{Data: struct {
		Schema any `json:"schema"`
	}{s}, Text: func(w io.Writer) { fmt.Fprintf(w, "%s\n", raw) }}, err
}

func problemsOf(s config.Settings) []config.Problem {
	if s.Problems == nil {
		return []config.Problem{}
	}
	return s.Problems
}

// configWarnings are the problems as an answer about something else tells them.
func configWarnings(s config.Settings) []model.Warning {
	var out []model.Warning
	for _, x := range s.Problems {
		out = append(out, model.Warning{Kind: model.WarnConfiguration, Message: x.String()})
	}
	return out
}
