package glamour

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"vise/themes"
	"vise/ui/text"
)

// leastWidth is the narrowest column in which the text of a nested item is laid out.
const leastWidth = 8

// blocks renders the children of a node below each other. Glamour renders all but lists and quotes: it begins the lines of an item that is
// wrapped below its mark instead of below its text, and has no way to say otherwise.
func (p *page) blocks(parent ast.Node, width int) (lines []string) {
	width = max(width, leastWidth)
	for n := parent.FirstChild(); n != nil; {
		next := n.NextSibling()
		if n.HasBlankPreviousLines() && len(lines) > 0 {
			lines = append(lines, "")
		}
		switch n := n.(type) {
		case *ast.List:
			lines = append(lines, p.list(n, width)...)
		case *ast.Blockquote:
			bar := themes.Unicode.Light.Left + " "
			lines = append(lines, below(bar, bar, p.blocks(n, width-text.Width(bar)))...)
		default:
			lines = append(lines, p.leaf(n, width)...)
		}
		n = next
	}
	return lines
}

func (p *page) list(list *ast.List, width int) (lines []string) {
	number := list.Start
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		if n.HasBlankPreviousLines() && len(lines) > 0 {
			lines = append(lines, "")
		}
		mark := ""
		if list.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		if box, ok := boxOf(n); ok {
			mark += p.box(box.IsChecked)
			box.Parent().RemoveChild(box.Parent(), box)
		}
		mark = cmp.Or(mark, themes.Unicode.Bullet+" ")
		space := strings.Repeat(" ", text.Width(mark))
		lines = append(lines, below(mark, space, p.blocks(n, width-len(space)))...)
	}
	return lines
}

// boxOf is the box of an item that is a task.
func boxOf(item ast.Node) (*extast.TaskCheckBox, bool) {
	if item.FirstChild() == nil {
		return nil, false
	}
	box, ok := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	return box, ok
}

// below puts mark before the first line and space before the others.
func below(mark, space string, lines []string) []string {
	if len(lines) == 0 {
		lines = []string{""}
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(mark+line, " ")
		mark = space
	}
	return lines
}
