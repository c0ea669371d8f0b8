package todos

import "go.yaml.in/yaml/v3"

// value is what one key of a front matter holds, as far as a todo can hold it.
type value struct {
	kind valueKind
	text string
	// list are a sequence's scalars, or a mapping's keys and values in turn.
	list []string
}

type valueKind uint8

// The kinds. Deep is a list or mapping that holds more than scalars.
const (
	null valueKind = iota
	scalar
	sequence
	mapping
	deep
)

// readHead gives the keys of a head.
func readHead(head string) (map[string]value, *Damage) {
	parsed, d := entries(head)
	keys := make(map[string]value, len(parsed))
	for key, e := range parsed {
		keys[key] = valueOf(e.value)
	}
	return keys, d
}

func valueOf(n *yaml.Node) value {
	switch {
	case n.Tag == "!!null":
		return value{}
	case n.Kind == yaml.ScalarNode:
		return value{kind: scalar, text: n.Value}
	}
	v := value{kind: sequence}
	if n.Kind == yaml.MappingNode {
		v.kind = mapping
	}
	for _, c := range n.Content {
		if c.Kind != yaml.ScalarNode {
			return value{kind: deep}
		}
		text := c.Value
		if c.Tag == "!!null" {
			text = ""
		}
		v.list = append(v.list, text)
	}
	return v
}
