package glamour

import (
	"reflect"
	"testing"

	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/ast"

	"vise/themes"
)

// Glamour writes a style sequence for each space of padding that has a colour, and a
// hostile plan must not find a style that hides text.
func TestOnlyLettersHaveAStyleAndNoneHidesThem(t *testing.T) {
	for _, p := range themes.All() {
		for _, s := range []ansi.StyleConfig{sheetOf(p, nil), sheetOf(p, ast.NewHeading(1))} {
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

func sheetOf(p themes.Palette, block ast.Node) ansi.StyleConfig {
	return sheet(p, p.Styles(), block)
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
	if got := sheetOf(p, ast.NewHeading(1)).Text; got.Color == nil || *got.Color != string(p.Accent) || got.Bold == nil {
		t.Errorf("the words of a heading: %+v", got)
	}
	if got := sheetOf(p, nil).LinkText; got.Color == nil || *got.Color != string(p.Accent) || got.Underline == nil {
		t.Errorf("a link: %+v", got)
	}
}
