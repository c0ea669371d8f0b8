package config

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON schema of the file, made from Config.
func Schema() (*jsonschema.Schema, error) {
	text := &jsonschema.Schema{Type: "string"}
	known := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Span]():       {Type: "string", Pattern: `^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+|[0-9]+[dw])$`},
		reflect.TypeFor[Address]():    {Type: "string"},
		reflect.TypeFor[Keys]():       {OneOf: []*jsonschema.Schema{text, {Type: "array", Items: text}}},
		reflect.TypeFor[quietHours](): {Type: "string", Pattern: `^$|^[0-9]{1,2}:[0-9]{2} *- *[0-9]{1,2}:[0-9]{2}$`},
	}
	for t, words := range choices {
		s := &jsonschema.Schema{Type: "string"}
		for _, w := range words {
			s.Enum = append(s.Enum, w)
		}
		known[t] = s
	}
	s, err := jsonschema.For[Config](&jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return nil, err
	}
	s.Schema, s.ID = "https://json-schema.org/draft/2020-12/schema", "https://vise.invalid/config.schema.json"
	s.Title = "vise's config.yaml"
	return s, optional(s, Default())
}

// optional makes each part optional and gives its default.
func optional(s *jsonschema.Schema, usual any) error {
	s.Required = nil
	raw, err := json.Marshal(usual)
	if err != nil {
		return err
	}
	var values map[string]json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return nil
	}
	for name, p := range s.Properties {
		v, ok := values[name]
		switch {
		case ok && len(p.Properties) > 0:
			if err := optional(p, v); err != nil {
				return err
			}
		case ok && string(v) != "null":
			p.Default = v
		}
		allowPartial(p)
	}
	return nil
}

// allowPartial makes the parts of a list's or map's elements optional, and allows an empty element.
func allowPartial(s *jsonschema.Schema) {
	for _, e := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if e == nil || len(e.Properties) == 0 {
			continue
		}
		if _, isCommand := e.Properties["run"]; !isCommand {
			e.Required = nil
		}
		for _, p := range e.Properties {
			p.Required = nil
		}
	}
}
