package accessible

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"vise/model"
	"vise/ui/action"
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
	type line struct {
		text string
		err  error
	}
	got := make(chan line, 1)
	go func() {
		text, err := s.in.ReadString('\n')
		if err == io.EOF && text != "" {
			err = nil
		}
		got <- line{strings.TrimSpace(text), err}
	}()
	select {
	case l := <-got:
		if l.err != nil {
			return "", errQuit{} // the input has ended
		}
		return l.text, nil
	case <-ctx.Done():
		return "", errQuit{}
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

// written reads a text for a verb, or reuses the text that was kept when the verb failed before.
func (s *dialogue) written(ctx context.Context, of, question string) (string, error) {
	if kept := s.kept[of]; kept != "" {
		first := model.Text(kept).Lines()[0]
		if yes, err := s.yes(ctx, "Kept from before: "+first+" Take it?"); yes || err != nil {
			return kept, err
		}
	}
	text, err := s.lines(ctx, question)
	s.kept[of] = text
	return text, err
}

// option is a line of a menu.
type option struct {
	words string
	do    func(context.Context) error
	// act is the action of the table for this option; empty if there is none.
	act action.ID
}

// acting returns the option of an action, with the table's title.
func acting(id action.ID, do func(context.Context) error) option {
	a := action.Standard().ByID(id)
	return option{fmt.Sprintf("%s: %s", title(a), does(a)), do, id}
}

// does says what an action does here, without what its key does on pages of the screen's console.
func does(a action.Action) string { words, _, _ := strings.Cut(a.Does, "; in "); return words }

// plain returns an option that is no action of the table.
func plain(words string, do func(context.Context) error) option { return option{words, do, ""} }

// titleOf returns the title of an action.
func titleOf(id action.ID) string { return title(action.Standard().ByID(id)) }

func title(a action.Action) string { return strings.TrimSuffix(a.Title, "…") }

// choose shows options until one is chosen, and carries it out. done means that the operator went back instead.
func (s *dialogue) choose(ctx context.Context, title string, options []option) (done bool, err error) {
	if s.walks != nil {
		return s.walks(ctx, title, options)
	}
	for s.show(title, options); ; {
		in, err := s.ask(ctx, "Choose:")
		if err != nil {
			return false, err
		}
		switch {
		case in == "q":
			return false, errQuit{}
		case in == "b", in == "0":
			return true, nil
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

// unread says why something could not be read. It says nothing about changes; those were reported before.
func (s *dialogue) unread(err error) {
	if e := model.AsError(err); e != nil {
		said := *e
		said.Hint = strings.TrimSuffix(e.Hint, "; nothing was changed")
		err = &said
	}
	s.failed("Not read", err)
}

// failed says why something was not done, and what to do.
func (s *dialogue) failed(what string, err error) {
	s.say("%s: %s.", what, model.Text(err.Error()))
	if e := model.AsError(err); e != nil && e.Hint != "" {
		s.say("%s.", model.Text(e.Hint))
	}
}

// notHere holds the actions of the screen's console that have no menu here, with the replacement.
var notHere = map[action.ID]string{
	action.PreviewDown: lists, action.PreviewUp: lists, action.Leftwards: lists, action.Rightwards: lists,
	action.Unfold:   lists,
	action.NextPane: menus, action.PrevPane: menus, action.NextTab: menus, action.PrevTab: menus, action.Zoom: menus,
	action.NextMatch: "a search says every line that it found", action.PrevMatch: "a search says every line that it found",
	action.NextAgent: "the agents are a list", action.PrevAgent: "the agents are a list",
	action.MarkRange: "marking takes spans, as 5-7", action.MarkClass: "marking takes classes, as queued",
	action.Hidden: "vise inbox --snoozed lists them", action.Earlier: saves, action.Later: saves,
	action.AllEvents: "what happened lately is all that happened",
	action.Refresh:   "each menu is read anew", action.Redraw: "nothing is redrawn: ? says a menu again",
	action.PrevNeed: lists, action.GoTo: menus, action.Do: "the choices are said in their order",
	action.Palette: "each menu offers what can be done now",
	action.Tick:    "Edit todos sets the state of each",
	action.Back:    goes, action.WayBack: goes, action.Quit: "q", action.ForceQuit: "ctrl+c is the terminal's own",
	action.DiffSpace: diffs, action.Drop: diffs, action.Submit: questions, action.EditOutside: questions,
	action.Suspend: "ctrl+z is the terminal's own",
}

const (
	saves     = "vise plan log, vise plan show --at and vise plan diff tell what a plan was"
	lists     = "a list is said whole, and chosen from by number"
	menus     = "there are menus instead of panes and tabs"
	goes      = "b goes back"
	questions = "a dialog is a row of questions"
	diffs     = "vise review says what the work changed, vise review comment comments on it"
)

// missing reports whether an action has no menu here, and says what replaces it.
func missing(a action.Action) (why string, is bool) {
	if a.Group == action.Move {
		return lists, true
	}
	why, is = notHere[a.ID]
	return why, is
}

// help lists all actions, in the order of the table, and the replacements of the missing ones.
func (s *dialogue) help(context.Context) error {
	said := map[string]bool{"": true}
	for _, a := range action.Standard() {
		if _, is := missing(a); !is {
			s.say("%s: %s.", title(a), does(a))
		}
	}
	for _, a := range action.Standard() {
		if why, _ := missing(a); !said[why] {
			said[why] = true
			s.say("Instead of %s: %s.", title(a), why)
		}
	}
	return nil
}
