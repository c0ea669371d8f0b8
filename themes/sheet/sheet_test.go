package sheet

import (
	"reflect"
	"testing"

	"charm.land/glamour/v2/ansi"

	"vise/themes"
)

// Glamour writes a style sequence for each space of padding that has a colour, and a
// hostile plan must not find a style that hides text.
func TestOnlyLettersHaveAStyleAndNoneHidesThem(t *testing.T) {
	for _, p := range themes.All() {
		for _, s := range []ansi.StyleConfig{Of(p, themes.Unicode), Heading(p, themes.ASCII)} {
			for name, block := range map[string]ansi.StyleBlock{"document": s.Document, "paragraph": s.Paragraph, "quote": s.BlockQuote, "list": s.List.StyleBlock} {
				if block.Color != nil || block.BackgroundColor != nil {
					t.Errorf("%s: the %s is coloured", p.Name, name)
				}
			}
			each(reflect.ValueOf(s), func(prim ansi.StylePrimitive) {
				if prim.Conceal != nil || prim.Blink != nil || prim.BackgroundColor != nil {
					t.Errorf("%s: %+v conceals, blinks or has a background", p.Name, prim)
				}
			})
		}
	}
}

func each(v reflect.Value, do func(ansi.StylePrimitive)) {
	if prim, ok := v.Interface().(ansi.StylePrimitive); ok {
		do(prim)
		return
	}
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Struct {
			each(f, do)
		}
	}
}

func TestHeadingsAndLinksHaveTheAccentOfThePalette(t *testing.T) {
	p, _ := themes.ByName("light")
	if got := Heading(p, themes.Unicode).Text; got.Color == nil || *got.Color != string(p.Accent) || got.Bold == nil {
		t.Errorf("the words of a heading: %+v", got)
	}
	if got := Of(p, themes.Unicode).LinkText; got.Color == nil || *got.Color != string(p.Accent) || got.Underline == nil {
		t.Errorf("a link: %+v", got)
	}
}
