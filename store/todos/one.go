package todos

import (
	"fmt"

	"vise/model/todo"
	"vise/store/files"
)

// Body reads the text below one todo's front matter as it is now, for who shows few of many.
func (s *Session) Body(t todo.Todo) (string, error) {
	dir := t.Ref().Source()
	root, err := files.Below(s.root, dir, false)
	if err != nil {
		return "", s.gone(err)
	}
	defer root.Close()
	l := loadFile(root, dir, t.File, true)
	if l.damage != nil {
		return "", fmt.Errorf("todo %s: %w", t.Ref(), l.damage)
	}
	return l.body, nil
}
