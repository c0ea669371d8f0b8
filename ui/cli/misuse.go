package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vise/model"
	"vise/ui/text"
)

// synonyms map words that people try to the command that does what they mean.
var synonyms = map[string]string{
	"create": "vise new OBJECTIVE", "add": "vise new OBJECTIVE",
	"done": "vise complete ID", "close": "vise complete ID", "finish": "vise complete ID",
	"begin": "vise pick ID", "focus": "vise pick ID",
	"claim": "vise pick ID", "priority": "vise update ID --priority high",
	"ls": "vise list", "info": "vise show ID", "view": "vise show ID", "cat": "vise plan show ID", "find": "vise search WORDS",
	"logs": "vise events", "history": "vise events",
	"edit": "vise plan edit ID, or vise update ID", "assign": "vise delegate ID --to AGENT",
	"message": "vise say AGENT TEXT", "send": "vise say AGENT TEXT", "setup": "vise install PROGRAM",
	"uninstall": "vise install PROGRAM --uninstall",
	"pause":     "vise stop AGENT", "ps": "vise agents",
	"reopen": "vise new --from ID", "upgrade-check": "vise backup FILE, before the newer vise is used",
}

// formerFlags say what to use instead of flags that went, or that people try.
var formerFlags = map[string]string{
	"vise wait --until":          "do you mean vise wait ID --timer 'tomorrow 9'? see vise help wait",
	"vise admin notify --brief":  "vise brief --since 12h prints it, and cron mails what is printed",
	"vise doctor --rebuild":      "vise doctor --repair makes index and counts again",
	"vise doctor --size":         "du -sh of the home shows it",
	"vise thread list --parked":  "vise thread list --everywhere has them, too",
	"vise todo cleanup --remove": "rm -r tmp/WORKFLOW/ID removes a session",
}

// removals are words for deleting, which vise does not do.
var removals = []string{"rm", "remove", "delete", "del"}

// noSuchVerb refuses a word that is not a command, and proposes the command that was probably meant.
func noSuchVerb(c *cobra.Command, args []string) error {
	name := strings.TrimPrefix(c.CommandPath()+" ", "vise ")
	e := misuse("verb", "unknown command %q", name+args[0])
	root := !c.HasParent()
	if root && slices.Contains(removals, args[0]) {
		return e.WithHint("vise deletes nothing; vise complete ID --abandon REASON ends a work item that is given up")
	}
	if meant := synonyms[args[0]]; root && meant != "" {
		return e.WithHint("do you mean %s?", meant)
	}
	if near := text.Nearest(args[0], commandNames(c)); near != "" {
		return e.WithHint("do you mean %s %s?", c.CommandPath(), near)
	}
	if root {
		return e.WithHint("vise help lists the commands")
	}
	return e.WithHint("%s", commandsOf(c))
}

// commandNames returns the commands of c that help shows.
func commandNames(c *cobra.Command) (out []string) {
	for _, x := range c.Commands() {
		if x.IsAvailableCommand() {
			out = append(out, x.Name())
		}
	}
	return out
}

// choices lists words, each in a format, as in --a, --b or --c.
func choices(form string, words ...string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = strings.ReplaceAll(form, "%s", w)
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " or " + list[last]
	}
	return strings.Join(list, "")
}

// group makes c a command that only has subcommands.
func group(e *Env, c *cobra.Command) *cobra.Command {
	c.Use += " COMMAND"
	return e.runs(c, anybody, func(*Env) (answer, error) {
		return nil, misuse("verb", "%s needs a command", c.CommandPath()).WithHint("%s", commandsOf(c))
	})
}

// commandsOf names the subcommands of c: vise task list, run or stop.
func commandsOf(c *cobra.Command) string {
	return c.CommandPath() + " " + choices("%s", commandNames(c)...)
}

// misused refuses flags that do not go together, or have a number that they cannot have.
func (v verb) misused(c *cobra.Command) error {
	given := func(names string) []string {
		return slices.DeleteFunc(strings.Fields(names), func(name string) bool { return !c.Flags().Changed(name) })
	}
	if one := v.needs + v.oneOf; one != "" && len(given(one)) == 0 {
		names := strings.Fields(one)
		return misuse(names[0], "a flag is missing: %s", choices("--%s", names...))
	}
	if both := given(v.excludes + v.oneOf); len(both) > 1 {
		return misuse(both[1], "--%s and --%s exclude each other", both[0], both[1]).WithHint("give one of them")
	}
	if v.revision != nil && *v.revision == 0 && c.Flags().Changed("if-revision") {
		return misuse("if-revision", "--if-revision 0: no work item is at revision 0").WithHint("vise show ID says its revision")
	}
	for _, x := range v.flags {
		if n, is := x.to.(upTo); is && (*n.to < 1 || *n.to > n.most) {
			_, hint, _ := strings.Cut(x.usage, "; ")
			return misuse(x.name, "--%s %d is not 1 to %d", x.name, *n.to, n.most).WithHint("%s", hint)
		}
	}
	return nil
}

func helpOf(c *cobra.Command) string {
	return "see vise help" + strings.TrimPrefix(c.CommandPath(), "vise")
}

// flagError returns a flag error in the words of the command line.
func flagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); len(args) > 0 && takesNone(c) {
		return noSuchVerb(c, args)
	}
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return misuse("flags", "unknown flag -%s", unknown.GetSpecifiedShortnames()).
			WithHint("flags are words, as in --json; %s", helpOf(c))
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		e := misuse("flags", "unknown flag --%s", name)
		if hint := formerFlags[c.CommandPath()+" --"+name]; hint != "" {
			return e.WithHint("%s", hint)
		}
		own, shared := flagsOf(c)
		if near := text.Nearest(name, names(append(own, shared...))); near != "" {
			return e.WithHint("do you mean --%s? %s", near, helpOf(c))
		}
		return e
	case errors.As(err, &missing):
		return misuse(missing.GetFlag().Name, "--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &value):
		return badValue(value)
	}
	return misuse("flags", "%v", err)
}

func badValue(x *pflag.InvalidValueError) error {
	flag, value := x.GetFlag(), model.Text(x.GetValue())
	switch flag.Value.Type() {
	case "int", "uint64":
		return misuse(flag.Name, "--%s is a whole number, not %q", flag.Name, value)
	case "bool":
		return misuse(flag.Name, "--%s is true or false, not %q", flag.Name, value).WithHint("leave the value out")
	}
	return misuse(flag.Name, "--%s: %v", flag.Name, x.Unwrap().Error())
}

// takesNone reports whether a command's arguments can only be subcommands.
func takesNone(c *cobra.Command) bool {
	_, rest, _ := strings.Cut(c.Use, " ")
	return c.HasSubCommands() && (rest == "" || strings.Trim(rest, "[]") == "COMMAND")
}
