package cli

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vise/model"
)

// flags are flags of a command. to points to what is set if the flag is given: a text, a bool, a number, a time span or a list of texts; or
// a pointer to one of these, which stays nil if the flag is not given. An int64 is a time span in milliseconds.
type flags []struct {
	name  string
	to    any
	usage string
}

// add gives a command the flags. f is where: its own flags, or those that its subcommands have, too. A flag without a usage is hidden.
func (list flags) add(c *cobra.Command, f *pflag.FlagSet) {
	for _, x := range list {
		switch to := x.to.(type) {
		case *commas:
			f.StringSliceVar((*[]string)(to), x.name, nil, x.usage)
		case *only:
			f.StringSliceVar((*[]string)(to), x.name, nil, x.usage)
			someNames(c, x.name, (*[]string)(to))
		default:
			v := bound{reflect.ValueOf(to).Elem()}
			name, short, _ := strings.Cut(x.name, ",")
			x.name = name
			if made := f.VarPF(v, name, short, x.usage); v.Type() == "bool" {
				made.NoOptDefVal = "true"
			}
		}
		f.Lookup(x.name).Hidden = x.usage == ""
	}
}

// These are what flags of a special kind point to.
type (
	commas []string // words, separated by commas
	only   []string // the names of agents to which a command is limited, separated by commas: not empty, if the flag is given
)

// bound is a value that a flag or an argument sets.
type bound struct{ reflect.Value }

// Set is part of pflag.Value.
func (b bound) Set(in string) (err error) {
	switch b.Kind() {
	case reflect.Pointer:
		v := bound{reflect.New(b.Value.Type().Elem()).Elem()}
		if err = v.Set(in); v.Kind() != reflect.Int64 || !v.IsZero() { // no time is no time span
			b.Value.Set(v.Addr())
		}
	case reflect.Slice:
		b.Value.Set(reflect.Append(b.Value, reflect.ValueOf(in).Convert(b.Value.Type().Elem())))
	case reflect.Bool:
		var on bool
		on, err = strconv.ParseBool(in)
		b.SetBool(on)
	case reflect.Int:
		var n int64
		n, err = strconv.ParseInt(in, 0, strconv.IntSize)
		b.SetInt(n)
	case reflect.Uint64:
		var n uint64
		n, err = strconv.ParseUint(in, 0, 64)
		b.SetUint(n)
	case reflect.Int64:
		var d time.Duration
		if d, err = model.ParseSpan(in); b.Value.Type() == reflect.TypeFor[int64]() {
			d /= time.Millisecond
		}
		b.SetInt(int64(d))
	default:
		b.SetString(in)
	}
	return err
}

// Type is part of pflag.Value. Help and completion look at it.
func (b bound) Type() string {
	t := b.Value.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		return "stringArray"
	case reflect.Int64:
		return "duration"
	}
	return t.Kind().String()
}

// bindArgs sets what arguments are bound to. The id of a work item is looked up. The last text takes all words that are left.
func bindArgs(e *Env, to []any, args []string) (err error) {
	for i := 0; i < len(to) && i < len(args) && err == nil; i++ {
		word := args[i]
		switch to := to[i].(type) {
		case *model.ItemID:
			*to, err = resolve(e, word)
		case *model.Clearable:
			*to = model.SetTo(model.Text(word))
		case *model.Text:
			*to = model.Text(strings.Join(args[i:], " "))
		default:
			err = bound{reflect.ValueOf(to).Elem()}.Set(word)
		}
	}
	return err
}

// ifRevision gives a command the flag --if-revision.
func ifRevision(c *cobra.Command, to *uint64) {
	flags{{"if-revision", to, "refuse if the work item is not at this revision any more"}}.add(c, c.Flags())
	refuseFlags(c, []string{"if-revision"}, func(given []string) error {
		if len(given) > 0 && *to == 0 {
			return misuse("if-revision", "--if-revision 0: no work item is at revision 0").WithHint("vise show ID says its revision")
		}
		return nil
	})
}
