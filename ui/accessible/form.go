package accessible

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vise/model"
	"vise/model/thread"
	"vise/ui/action"
)

// Form is what a verb of the command line asks for.
type Form struct {
	// Does says in a line what the verb does. Verbs are the names of its subcommands.
	Does  string
	Verbs []string
	// Fields are its arguments in their order, then its flags.
	Fields []Field
	// Revision means that it can be refused if its work item has changed.
	Revision bool
}

// Field is an argument or a flag of a verb.
type Field struct {
	// Name is that of the usage. Help says what it is.
	Name, Help string
	// Flag means that it is a flag, Switch that this flag has no value. Needed means that the verb does nothing without it.
	Flag, Switch, Needed bool
	// Many means that there can be several, Text that - means standard input.
	Many, Text bool
	// Values returns the possible values, as a shell completes them. There can be others.
	Values func() []string
}

// values are what was given to a verb, by the name of the field.
type values map[string][]string

// final says what must be known before a verb is run, by the verb or by one of its flags. It asks for confirmation.
var final = map[string]string{
	"complete": "It is final and cannot be reopened.", "thread record": action.RecommendedHint,
	"rebind": action.TakeOverHint, "remove": "What it removes is gone.",
}

// asking returns a function that asks for what a verb of the table needs, and runs it.
func (s *dialogue) asking(verb string, about *model.Row) func(context.Context) error {
	return func(ctx context.Context) error {
		name, _, _ := strings.Cut(verb, " --")
		return s.fill(ctx, verb, s.Form(name), about)
	}
}

// fill asks for the arguments of a verb but for what it is about, and offers its flags. If the verb names a flag, it asks for that flag
// alone. What was given is kept until the verb succeeds.
func (s *dialogue) fill(ctx context.Context, verb string, f Form, about *model.Row) error {
	verb, flag, flagged := strings.Cut(verb, " --")
	fields, subject := f.Fields, ""
	if len(fields) > 0 {
		subject = s.subject(fields[0].Name, about)
	}
	key := verb + " " + subject
	given := s.kept[key]
	if given == nil {
		given = values{}
		s.kept[key] = given
	}
	if subject != "" {
		given[fields[0].Name], fields = []string{subject}, fields[1:]
	}
	flags := slices.ContainsFunc(fields, func(x Field) bool { return x.Flag })
	if flagged {
		fields = slices.DeleteFunc(slices.Clone(fields), func(x Field) bool { return x.Flag && x.Name != flag })
	}
	if !flagged {
		s.say("%s", f.Does)
	}
	for _, x := range fields {
		needed := x.Needed || flagged
		if x.Flag && !needed || given[x.Name] != nil {
			continue
		}
		if err := s.set(ctx, x, given); err != nil || needed && given[x.Name] == nil {
			return err
		}
	}
	run := func(ctx context.Context) error {
		done, err := s.send(ctx, verb, f, given, about)
		if done || !flags || flagged {
			delete(s.kept, key)
		} else {
			s.say("What you gave is kept: choose the same again.")
		}
		return err
	}
	if !flags || flagged {
		return run(ctx)
	}
	for {
		var options []option
		title := "What can be added"
		for _, x := range fields {
			words := strings.TrimSuffix(x.words(), ":")
			options = append(options, option{words, func(ctx context.Context) error { return s.set(ctx, x, given) }})
			if now := given[x.Name]; now != nil {
				title += fmt.Sprintf("; %s is %s", strings.ToLower(x.Name), model.Text(strings.Join(now, ", ")))
			}
		}
		if done, err := s.choose(ctx, title, options, option{"carry it out", run}); done || err != nil {
			return err
		}
	}
}

// subject returns what a verb is about, if its first argument is the work item of a menu, or the agent.
func (s *dialogue) subject(name string, about *model.Row) string {
	switch {
	case about != nil && strings.Contains(name, "ID"):
		return string(about.ID)
	case strings.Contains(name, "AGENT"):
		return string(s.agent)
	}
	return ""
}

// words returns a field as a question.
func (x Field) words() string {
	words := strings.ToLower(x.Name)
	if x.Help != "" {
		words += ", " + x.Help
	}
	return words + ":"
}

// set asks for the value of a field. An empty answer takes the value away.
func (s *dialogue) set(ctx context.Context, x Field, given values) (err error) {
	in := "true"
	if x.Switch && given[x.Name] != nil {
		in = ""
	}
	if !x.Switch {
		possible := x.Values()
		for i, v := range possible {
			s.say("%d. %s", i+1, model.Text(strings.ReplaceAll(v, "\t", ", ")))
		}
		if x.Text && len(possible) == 0 {
			in, err = s.lines(ctx, x.words())
		} else {
			in, err = s.ask(ctx, x.words())
		}
		if n, no := strconv.Atoi(in); no == nil && n >= 1 && n <= len(possible) {
			in, _, _ = strings.Cut(possible[n-1], "\t")
		}
	}
	switch {
	case in == "":
		delete(given, x.Name)
	case x.Many && x.Flag:
		given[x.Name] = append(given[x.Name], in)
	default:
		given[x.Name] = []string{in}
	}
	return err
}

// send runs a verb with the values that were given, after a confirmation if it is final.
func (s *dialogue) send(ctx context.Context, verb string, f Form, given values, about *model.Row) (done bool, err error) {
	args, input := strings.Fields(verb), ""
	if f.Revision && about != nil {
		args = append(args, fmt.Sprintf("--if-revision=%d", about.Revision))
	}
	var words []string
	warning := final[verb]
	for _, x := range f.Fields {
		for _, in := range given[x.Name] {
			if x.Text {
				in, input = "-", in
			}
			switch {
			case x.Switch:
				warning += final[x.Name]
				args = append(args, "--"+x.Name)
			case x.Flag:
				args = append(args, "--"+x.Name+"="+in)
			case x.Many:
				several, plain := thread.Argv(model.Text(in))
				if !plain {
					s.say("%s", action.NotRunnableHint)
					return false, nil
				}
				words = append(words, several...)
			default:
				words = append(words, in)
			}
		}
	}
	if words != nil {
		args = append(append(args, "--"), words...)
	}
	if warning != "" {
		agreed, err := s.yes(ctx, fmt.Sprintf("%s Run %s?", warning, model.Text(model.ShellLine(args))))
		if err != nil || !agreed {
			return false, err
		}
	}
	return s.run(ctx, input, args...)
}
