package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/console"
)

// lineVerbs are the commands that the console takes with arguments. complete is not among them: it is final, and has its own dialog.
var lineVerbs = []string{"answer", "block", "new", "say", "update", "wait"}

// errOnlyRead ends a command that must not be sent to the ledger.
var errOnlyRead = errors.New("the command is only read")

// readLine reads a command and its arguments as the command line does. It puts the console's subject where the usage names it. Words need
// no quotes, and the flag that selects what the command does needs no dashes ("wait timer 16:00"). readLine sends nothing.
func (e *Env) readLine(ctx context.Context, words []string, on console.Subject) (model.Command, error) {
	v, ok := verbNamed(words[0])
	if !ok || e.home == nil || !slices.Contains(lineVerbs, words[0]) {
		return nil, misuse("verb", "%s takes no arguments here", model.Text(words[0])).
			WithHint("vise help lists the verbs of the command line")
	}
	within, o := *e, order{}
	within.in, within.ttyIn, within.flags = strings.NewReader(""), false, globals{actor: string(model.Operator), agent: string(on.Agent)}
	within.onlyRead = &o
	c := v.command(&within)
	c.SetContext(ctx)
	err := c.ParseFlags(flagged(c, words[1:]))
	if err == nil {
		args := lineArgs(c, on)
		if seen := c.Flags().Lookup("if-revision"); seen != nil && !seen.Changed && on.Revision > 0 {
			err = seen.Value.Set(strconv.FormatUint(on.Revision, 10))
		}
		if bad := c.ValidateFlagGroups(); bad != nil {
			err = misuse("flags", "%v", model.Text(bad.Error())).WithHint("%s", usage(c))
		}
		if err = cmp.Or(err, c.Args(c, args)); err == nil {
			err = c.RunE(c, args)
		}
	}
	switch {
	case errors.Is(err, errOnlyRead):
		return o.command, nil
	case err == nil:
		err = misuse("verb", "%s does nothing with these words", words[0]).WithHint("%s", usage(c))
	}
	return nil, fault(err)
}

// flagged adds the dashes to the first word if it is the flag that selects what the command does, and the command takes no text.
func flagged(c *cobra.Command, words []string) []string {
	subjectAlone := len(strings.Fields(c.Use)) == 2 && strings.Contains(c.Use, "ID")
	if subjectAlone && len(words) > 1 && c.Flags().Lookup(words[0]) != nil {
		at := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "--") })
		if at < 0 {
			at = len(words)
		}
		return append([]string{"--" + words[0], strings.Join(words[1:at], " ")}, words[at:]...)
	}
	return words
}

// lineArgs returns a command's arguments: its subject, then the words as one text.
func lineArgs(c *cobra.Command, on console.Subject) []string {
	var out []string
	switch of := strings.Trim(strings.Fields(c.Use)[1], "[]"); {
	case strings.Contains(of, "ID") && on.Item != "":
		out = append(out, string(on.Item))
	case strings.Contains(of, "AGENT"):
		out = append(out, string(on.Agent))
	}
	if text := strings.Join(c.Flags().Args(), " "); text != "" {
		out = append(out, text)
	}
	return out
}
