package codec

import (
	"reflect"
)

// step is a field, or those of an embedded struct.
type step struct {
	index    int
	key      string // "name":
	elem     appender
	absent   func(reflect.Value) bool // nil when the field is always written
	embedded []step
}

func structAppender(t reflect.Type) appender {
	fields, ok := fieldsOf(t)
	if !ok {
		return foreign
	}
	steps, ok := stepsOf(fields)
	if !ok {
		return foreign
	}
	return func(dst []byte, v reflect.Value) ([]byte, error) {
		dst = append(dst, '{')
		from := len(dst)
		dst, err := appendFields(dst, from, v, steps)
		return append(dst, '}'), err
	}
}

func stepsOf(fields []field) ([]step, bool) {
	steps := make([]step, len(fields))
	for i, f := range fields {
		s := step{index: f.index}
		if f.embedded != nil {
			inner, ok := stepsOf(f.embedded)
			if !ok {
				return nil, false
			}
			s.embedded = inner
		} else {
			absent, ok := absence(f)
			if !ok {
				return nil, false
			}
			s.key, s.elem, s.absent = string(append(appendString(nil, f.name), ':')), appenderOf(f.typ), absent
		}
		steps[i] = s
	}
	return steps, true
}

// appendFields appends those of v that are written; from is where the object's first one stands.
func appendFields(dst []byte, from int, v reflect.Value, steps []step) ([]byte, error) {
	var err error
	for i := range steps {
		s := &steps[i]
		f := v.Field(s.index)
		if s.embedded != nil {
			if dst, err = appendFields(dst, from, f, s.embedded); err != nil {
				return dst, err
			}
			continue
		}
		if s.absent != nil && s.absent(f) {
			continue
		}
		if len(dst) > from {
			dst = append(dst, ',')
		}
		if dst, err = s.elem(append(dst, s.key...), f); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// absence is when a field is left out. It is false for an IsZero that only a pointer has.
func absence(f field) (func(reflect.Value) bool, bool) {
	zero := reflect.Value.IsZero
	switch {
	case f.typ == typeTime:
		zero = func(v reflect.Value) bool { return timeAt(v).IsZero() }
	case f.typ.Implements(isZeroer):
		if k := f.typ.Kind(); k == reflect.Interface || k == reflect.Pointer {
			return nil, !f.omitZero
		}
		zero = func(v reflect.Value) bool { return v.Interface().(interface{ IsZero() bool }).IsZero() }
	case f.omitZero && reflect.PointerTo(f.typ).Implements(isZeroer):
		return nil, false
	}
	switch {
	case f.omitEmpty && f.omitZero:
		return func(v reflect.Value) bool { return empty(v) || zero(v) }, true
	case f.omitEmpty:
		return empty, true
	case f.omitZero:
		return zero, true
	}
	return nil, true
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
