package cli

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"vise/model"
)

// flags are flags of a command. to points to what is set if the flag is given: a text, a bool, a number, a time span or a list of texts; or
// a pointer to one of these, which stays nil if the flag is not given. An int64 is a time span in milliseconds. Or to is a function that
// takes the flag's value, or a number with its bound.
type flags []struct {
	name  string
	to    any
	usage string
}

// add gives a set of flags these. A flag without a usage is hidden.
func (list flags) add(f *pflag.FlagSet) {
	for _, x := range list {
		name, short, _ := strings.Cut(x.name, ",")
		switch to := x.to.(type) {
		case *commas:
			f.StringSliceVar((*[]string)(to), name, nil, x.usage)
		case func(string) error:
			f.Func(name, x.usage, to)
		case upTo:
			f.IntVar(to.to, name, *to.to, fmt.Sprintf("1 to %d: %s", to.most, x.usage))
		default:
			v := bound{reflect.ValueOf(to).Elem()}
			if made := f.VarPF(v, name, short, x.usage); v.Type() == "bool" {
				made.NoOptDefVal = "true"
			}
		}
		f.Lookup(name).Hidden = x.usage == ""
	}
}

// commas are words, separated by commas.
type commas []string

// upTo is a number from one to most.
type upTo struct {
	to   *int
	most int
}

// only are the names of agents to which a command is limited.
type only []string

// add takes names, separated by commas. An empty one is refused: an empty variable of a shell would lift the limit.
func (o *only) add(in string) error {
	*o = append(*o, strings.Split(in, ",")...)
	if slices.Contains(*o, "") {
		return errors.New("it names nobody, or has an empty name; leave it out to mean all")
	}
	return nil
}

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
