package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
)

// optionalFlag is a flag in a usage that may be left out.
var optionalFlag = regexp.MustCompile(`\[--\w[^\]]*\]`)

// usageArgs checks that a verb gets the arguments that its usage names, as in "block ID TEXT":
// [NAME] may be left out, and NAME… and [NAME]… take any number. What follows a flag is none.
func usageArgs(use string) cobra.PositionalArgs {
	var names []string
	needed, most := 0, 0
	for _, name := range strings.Fields(optionalFlag.ReplaceAllString(use, ""))[1:] {
		if name == "--" {
			continue
		}
		if strings.HasPrefix(name, "--") || strings.HasPrefix(name, "(--") {
			break
		}
		names = append(names, strings.Trim(name, "[]…"))
		if !strings.HasPrefix(name, "[") {
			needed++
		}
		if most++; strings.HasSuffix(strings.TrimSuffix(name, "]"), "…") {
			most = math.MaxInt
		}
	}
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < needed:
			return misuse(strings.ToLower(names[len(args)]), "%s is missing", names[len(args)]).WithHint("%s", usage(c))
		case len(args) > most:
			return misuse("arguments", "%q is one argument too many", model.Text(args[most])).
				WithHint("%s; words with spaces need quotes", usage(c))
		}
		return nil
	}
}

func usage(c *cobra.Command) string { return "usage: " + c.UseLine() }

// maxInput bounds what is read of a file or of standard input, in bytes.
const maxInput = 8 << 20

// content reads a flag's value: - is standard input, @NAME a file, anything else is meant
// as it stands.
func (a *app) content(field, value string) (string, error) {
	switch {
	case value == "-":
		return a.stdin(field)
	case strings.HasPrefix(value, "@"):
		return a.file(field, value[1:])
	}
	return value, nil
}

// fileOrStdin reads a flag that names a file, or - for standard input.
func (a *app) fileOrStdin(field, name string) (string, error) {
	if name == "-" {
		return a.stdin(field)
	}
	return a.file(field, name)
}

func (a *app) stdin(field string) (string, error) {
	if a.ttyIn {
		fmt.Fprintf(a.err, "vise: reading %s until ctrl+d\n", field)
	}
	return bounded(field, "standard input", a.in)
}

func (a *app) file(field, name string) (string, error) {
	f, err := os.Open(absolute(a.dir, name))
	if err != nil {
		return "", misuse(field, "%v", model.Text(err.Error())).WithHint("name a file that can be read, or - for standard input")
	}
	defer f.Close()
	return bounded(field, name, f)
}

func bounded(field, name string, r io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return "", misuse(field, "read %s: %v", model.Text(name), model.Text(err.Error()))
	}
	if len(raw) > maxInput {
		return "", misuse(field, "%s has more than %d bytes", model.Text(name), maxInput).WithHint("give less")
	}
	return string(raw), nil
}

// first is the first argument, or nothing.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
