package accessible

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"vise/model"
)

// maxLine bounds a line of input, in bytes.
const maxLine = 64 << 10

// say writes a line. Texts from outside must be passed as model.Text, which fmt makes safe.
func (s *dialogue) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.Out, format+"\n", args...)
}

// ask writes a question and reads a line. Nothing reads the input between two questions, so that an editor can use the terminal.
func (s *dialogue) ask(ctx context.Context, question string) (string, error) {
	s.mu.Lock()
	fmt.Fprint(s.Out, question+" ")
	s.mu.Unlock()
	var line string
	got := make(chan error, 1)
	go func() {
		var err error
		if line, err = s.in.ReadString('\n'); line != "" {
			err = nil
		}
		got <- err
	}()
	select {
	case err := <-got:
		if err != nil { // the input has ended
			return "", errQuit
		}
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		return "", errQuit
	}
}

// lines reads a text of several lines, up to a line with a single dot.
func (s *dialogue) lines(ctx context.Context, question string) (string, error) {
	s.say("%s End with a line that is a single dot.", question)
	var out []string
	for {
		l, err := s.ask(ctx, ">")
		if err != nil {
			return "", err
		}
		if l == "." {
			return strings.TrimSpace(strings.Join(out, "\n")), nil
		}
		out = append(out, l)
	}
}

// option is a line of a menu.
type option struct {
	words string
	do    func(context.Context) error
}

// choose shows options until one is chosen, and carries it out. enter, if any, is what an empty line does; otherwise that says the options
// again. done means that the operator went back instead.
func (s *dialogue) choose(ctx context.Context, title string, options []option, enter ...option) (done bool, err error) {
	question := "Choose:"
	for _, o := range enter {
		question = "Choose, or Enter to " + o.words + ":"
	}
	for s.show(title, options); ; {
		in, err := s.ask(ctx, question)
		switch {
		case err != nil:
			return false, err
		case in == "q":
			return false, errQuit
		case in == "b", in == "0":
			return true, nil
		case in == "" && enter != nil:
			return true, enter[0].do(ctx)
		case in == "?" || in == "":
			s.menu = ""
			s.show(title, options)
			continue
		}
		if o := s.meant(in, options); o != nil {
			return false, o.do(ctx)
		}
	}
}

// show writes a menu. If the same menu was written last, it writes only the title.
func (s *dialogue) show(title string, options []option) {
	var menu strings.Builder
	for i, o := range options {
		fmt.Fprintf(&menu, "%d. %s\n", i+1, o.words)
	}
	s.say("")
	s.say("%s", title)
	if s.menu == menu.String() {
		s.say("The choices are the same; ? says them.")
		return
	}
	s.menu = menu.String()
	s.say("%s", strings.TrimSuffix(s.menu, "\n"))
}

// meant returns the option that an answer names: by its number, or by words that are the name, the beginning or a part of exactly one
// option. Otherwise it says why there is none.
func (s *dialogue) meant(in string, options []option) *option {
	folded := strings.ToLower(in)
	if n, err := strconv.Atoi(in); err == nil {
		if n >= 1 && n <= len(options) {
			return &options[n-1]
		}
		folded = "\n" // a number can mean nothing else
	}
	isNamed := func(words, name string) bool { return strings.HasPrefix(words+":", name+":") }
	for _, fits := range []func(words, part string) bool{isNamed, strings.HasPrefix, strings.Contains} {
		var found []int
		for i, o := range options {
			if fits(strings.ToLower(o.words), folded) {
				found = append(found, i)
			}
		}
		switch {
		case len(found) == 1:
			return &options[found[0]]
		case len(found) > 1:
			s.say("%s is more than one:", model.Text(in))
			for _, i := range found {
				s.say("%d. %s", i+1, options[i].words)
			}
			return nil
		}
	}
	s.say("%s is no choice: a number from 1 to %d, the first words of a line, ?, b or q.", model.Text(in), len(options))
	return nil
}

// yes asks for confirmation before a final action.
func (s *dialogue) yes(ctx context.Context, question string) (bool, error) {
	in, err := s.ask(ctx, question+" yes or no:")
	return strings.EqualFold(in, "yes") || strings.EqualFold(in, "y"), err
}

// unread says why something could not be read, and what to do. It says nothing about changes; those were reported before.
func (s *dialogue) unread(err error) {
	s.say("Not read: %s.", model.Text(err.Error()))
	if e := model.AsError(err); e != nil && e.Hint != "" {
		s.say("%s.", model.Text(strings.TrimSuffix(e.Hint, "; nothing was changed")))
	}
}
