package home

import (
	"errors"
	"reflect"
	"strings"

	"vise/model"
)

// idTypes are the types of ids that get the host's name. Handles stay as they are, because people read them.
var idTypes = map[reflect.Type]bool{
	reflect.TypeFor[model.AgentID](): true, reflect.TypeFor[model.ItemID](): true, reflect.TypeFor[model.WaitID](): true,
	reflect.TypeFor[model.TaskID](): true, reflect.TypeFor[model.MessageID](): true, reflect.TypeFor[model.DelegationID](): true,
	reflect.TypeFor[model.IngressID](): true, reflect.TypeFor[model.PermissionID](): true,
}

var actorType, textType = reflect.TypeFor[model.Actor](), reflect.TypeFor[model.Text]()

// rename replaces each id inside the value that v points to, and sanitises every other string that is not a Text; a Text is sanitised where
// it is shown. A rename that fails leaves v half done.
func rename(v any, to func(id string) (string, error)) error { return renameIn(reflect.ValueOf(v), to) }

func renameIn(v reflect.Value, to func(string) (string, error)) (err error) {
	switch v.Kind() {
	case reflect.String:
		return renameID(v, to)
	case reflect.Pointer:
		return renameIn(v.Elem(), to)
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		c := reflect.New(v.Elem().Type()).Elem()
		c.Set(v.Elem())
		err = renameIn(c, to)
		v.Set(c)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return nil
		}
		for i := 0; i < v.Len() && err == nil; i++ {
			err = renameIn(v.Index(i), to)
		}
	case reflect.Map:
		return renameMap(v, to)
	case reflect.Struct:
		for i := 0; i < v.NumField() && err == nil; i++ {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				err = renameIn(v.Field(i), to)
			}
		}
	}
	return err
}

func renameMap(v reflect.Value, to func(string) (string, error)) error {
	if v.Len() == 0 {
		return nil
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for _, k := range v.MapKeys() {
		key, value := reflect.New(k.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.Set(k)
		value.Set(v.MapIndex(k))
		if err := errors.Join(renameIn(key, to), renameIn(value, to)); err != nil {
			return err
		}
		out.SetMapIndex(key, value)
	}
	v.Set(out)
	return nil
}

func renameID(v reflect.Value, to func(string) (string, error)) error {
	id, lead := v.String(), ""
	switch {
	case id == "" || !v.CanSet() || v.Type() == textType:
		return nil
	case v.Type() == actorType:
		agent, is := model.Actor(id).Agent()
		if !is {
			v.SetString(model.Text(id).String())
			return nil
		}
		id, lead = string(agent), strings.TrimSuffix(id, string(agent))
	case !idTypes[v.Type()]: // a handle or a fixed word, shown as it is
		v.SetString(model.Text(id).String())
		return nil
	}
	id, err := to(id)
	v.SetString(lead + id)
	return err
}

// maxHostID bounds an id, in bytes.
const maxHostID = 128

func isHostID(id string) bool {
	return len(id) <= maxHostID && model.IsName(id, model.LowerCase+model.UpperCase+model.Digits, "._:-")
}

// taken returns the rename for ids that come from a host. Ids become file names in places, so any that is not a plain name is refused.
func taken(host string) func(string) (string, error) {
	return func(id string) (string, error) {
		if !isHostID(id) {
			return "", model.Invalid("%q is no id", model.Text(id))
		}
		return id + "@" + host, nil
	}
}

// handed returns the rename for ids that go to a host.
func handed(host string) func(string) (string, error) {
	return func(id string) (string, error) {
		switch model.HostOf(id) {
		case host:
			return strings.TrimSuffix(id, "@"+host), nil
		case "":
			return id, nil
		}
		return "", model.Invalid("%s is not of the host %s", model.Text(id), host).
			WithHint("a command changes one home: do it in two")
	}
}
