package codec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vise/model"
	"vise/store/codec"
)

// journalled is shaped as the ledger's own rows are.
type journalled struct {
	model.Entry
	Prev string `json:"prev"`
}

type committed struct {
	At      time.Time       `json:"at"`
	Key     string          `json:"key"`
	Writes  []written       `json:"writes"`
	Plans   []written       `json:"plans,omitempty"`
	Receipt model.Receipt   `json:"receipt"`
	Raw     json.RawMessage `json:"raw,omitempty"`
	Since   time.Time       `json:"since,omitzero"`
}

type written struct {
	Kind   string          `json:"kind"`
	Record json.RawMessage `json:"record"`
}

// odd has what no record has.
type odd struct {
	Plain   int
	F       float64             `json:"f,omitempty"`
	Bytes   []byte              `json:"bytes"`
	Array   [2]model.Text       `json:"array"`
	Any     any                 `json:"any"`
	ByText  map[model.Text]*odd `json:"by_text,omitempty"`
	ByInt   map[int]string      `json:"by_int,omitempty"`
	Quoted  quoted              `json:"quoted"`
	Skipped string              `json:"-"`
	Small   int8                `json:"small"`
	Byte    uint8               `json:"byte"`
	Links   model.Links         `json:"links,omitempty,omitzero"`
	Never   []string            `json:"never,omitempty,omitzero"`
}

type quoted struct {
	N int `json:"n,string"`
}

type onPointer struct{ N int }

func (p *onPointer) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%d", p.N), nil }

type holdsOnPointer struct {
	One  onPointer   `json:"one"`
	Many []onPointer `json:"many"`
}

var types = []reflect.Type{
	reflect.TypeFor[model.WorkItem](), reflect.TypeFor[model.Agent](), reflect.TypeFor[model.Wait](), reflect.TypeFor[model.Task](),
	reflect.TypeFor[model.Brief](), reflect.TypeFor[model.Delivery](), reflect.TypeFor[model.Message](), reflect.TypeFor[model.Attempt](),
	reflect.TypeFor[model.Trace](), reflect.TypeFor[model.Ingress](), reflect.TypeFor[model.Seen](), reflect.TypeFor[model.ReportOffers](),
	reflect.TypeFor[model.Delegation](), reflect.TypeFor[model.Receipt](), reflect.TypeFor[model.Due](), reflect.TypeFor[map[model.Tally]int](),
	reflect.TypeFor[model.Written](), reflect.TypeFor[model.Picked](), reflect.TypeFor[model.TickNews](), reflect.TypeFor[model.Heard](),
	reflect.TypeFor[model.CreateWorkItem](), reflect.TypeFor[model.UpdateWorkItem](), reflect.TypeFor[model.WaitFor](), reflect.TypeFor[model.Import](),
	reflect.TypeFor[journalled](), reflect.TypeFor[committed](), reflect.TypeFor[odd](), reflect.TypeFor[holdsOnPointer](),
	reflect.TypeFor[*model.WorkItem](), reflect.TypeFor[[]model.Todo](), reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[time.Time](),
}

func TestWhatIsWrittenAndReadIsWhatEncodingJSONWritesAndReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(types).Draw(t, "type")
		p := reflect.New(typ)
		fill(t, p.Elem(), 3)
		v := p.Elem().Interface()

		want, wantErr := json.Marshal(v)
		got, err := codec.Append([]byte("before "), v)
		if (err != nil) != (wantErr != nil) || err == nil && string(got) != "before "+string(want) {
			t.Fatalf("%v is written\n%s, %v\nand by encoding/json\n%s, %v", typ, got, err, want, wantErr)
		}
		if err == nil {
			sameRead(t, typ, want)
			sameRead(t, typ, hurt(t, want))
			var spaced bytes.Buffer
			if err := json.Indent(&spaced, want, "", "  "); err != nil {
				t.Fatal(err)
			}
			sameRead(t, typ, spaced.Bytes())
			sameRead(t, typ, hurt(t, spaced.Bytes()))
		}
	})
}

func TestWhatNobodyWroteIsReadAsEncodingJSONReadsIt(t *testing.T) {
	for _, text := range []string{
		"", " ", "null", "{", "{}", "[]", "{} ", " {}", "{}x", `{"id":"a","id":"b"}`, `{"todo_list":[{"text":"a","state":"x"}],"todo_list":[{"text":"b"}]}`,
		`{"ID":"a"}`, `{"Revision":1}`, `{"revision":-1}`, `{"revision":01}`, `{"revision":1.0}`, `{"revision":1e3}`, `{"revision":18446744073709551616}`,
		`{"revision":"1"}`, `{"revision":null}`, `{"revision":- 1}`, `{"revision": 1 2}`, `{ "id" : "a" , }`, "{}\n", "{\v}", `{"todo_list":null}`, `{"todo_list":[]}`, `{"todo_list":[null]}`, `{"todo_list":[{},]}`, `{"unknown":[{"a":"}"}],"id":"a"}`,
		`{"id":"\ud83d\ude00\ud800"}`, `{"id":"` + "\xff\xed\xa0\x80" + `"}`, `{"id":"` + "\x00" + `"}`, `{"id":"a\`, `{"id":"\x"}`, `{"id" :"a"}`, `{"created_at":"2026-01-01"}`,
		`{"created_at":null,"updated_at":"2026-02-30T00:00:00Z"}`, `{"links":{"refs":[{"kind":"a","ref":"<"}]}}`, `{"id":"a"`, `{"id":"a",}`, `{"id":true}`, `{"id":"a"}{}`,
	} {
		var got, want model.WorkItem
		err, wantErr := codec.Decode([]byte(text), &got), json.Unmarshal([]byte(text), &want)
		if (err != nil) != (wantErr != nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v, %v, and by encoding/json as %+v, %v", text, got, err, want, wantErr)
		}
	}
}

// sameRead compares values, and whether there was an error.
func sameRead(t *rapid.T, typ reflect.Type, data []byte) {
	want, got := reflect.New(typ), reflect.New(typ)
	wantErr := json.Unmarshal(data, want.Interface())
	err := codec.Decode(bytes.Clone(data), got.Interface())
	if (err != nil) != (wantErr != nil) || err == nil && !reflect.DeepEqual(got.Interface(), want.Interface()) {
		t.Fatalf("%s\nis read as a %v:\n%+v, %v\nand by encoding/json:\n%+v, %v", data, typ, got.Elem(), err, want.Elem(), wantErr)
	}
}

// hurt puts, takes or changes some bytes of JSON.
func hurt(t *rapid.T, data []byte) []byte {
	data = bytes.Clone(data)
	at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
	piece := rapid.SampledFrom([]string{" ", ",", "{", "}", "[", "]", `"`, "null", "0", "-", ".5", "e3", `\u00e9`, `\ud800`, `\`, "\x00", "\xff", "<", "\u2028", `,"id":"x"`, `,"ID":"x"`}).Draw(t, "piece")
	cut := rapid.IntRange(0, min(3, len(data)-at)).Draw(t, "cut")
	return append(append(data[:at:at], piece...), data[at+cut:]...)
}

var pieces = []string{"a", "plain words", " ", "é", "字", "😀", "<", ">", "&", `"`, `\`, "/", "\n", "\t", "\r", "\b", "\f", "\x00", "\x1b[2J", "\x7f", "\u0085",
	"\u00ad", "\u200b", "\u200d", "\u202e", "\u2028", "\u2029", "\ufeff", "\U000e0001", "\ufffd", "\xff", "\xc3", "\xed\xa0\x80"}

// fill makes a value of any kind; records that hold records end at depth.
func fill(t *rapid.T, v reflect.Value, depth int) {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		at := time.Unix(rapid.Int64Range(-70_000_000_000, 260_000_000_000).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		zone := rapid.SampledFrom([]*time.Location{time.UTC, time.UTC, time.FixedZone("", 5400), time.FixedZone("", 1)}).Draw(t, "zone")
		if rapid.Bool().Draw(t, "some time") {
			v.Set(reflect.ValueOf(at.In(zone)))
		}
		return
	case reflect.TypeFor[json.RawMessage]():
		raw := rapid.SampledFrom([]string{"", `{"a":[1,{"b":"x"}]}`, `{ "a" : 1 }`, `"<\u003c"`, `">"`, `"a&b"`, `"\u2028` + "\u2028" + `"`, "null", "12", `"a\"b c"`}).Draw(t, "raw")
		if raw != "" {
			v.SetBytes([]byte(raw))
		}
		return
	case reflect.TypeFor[model.Clearable]():
		v.Set(reflect.ValueOf(rapid.SampledFrom([]model.Clearable{{}, model.Clear(), model.SetTo("<b> \u202e")}).Draw(t, "clearable")))
		return
	}
	switch v.Kind() {
	case reflect.String:
		s := ""
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 4).Draw(t, "text") {
			s += p
		}
		v.SetString(s)
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "uint"))
	case reflect.Float64:
		v.SetFloat(rapid.Float64().Draw(t, "float"))
	case reflect.Pointer:
		if depth > 0 && rapid.Bool().Draw(t, "pointer") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), depth-1)
		}
	case reflect.Slice:
		if n := rapid.IntRange(-1, 2).Draw(t, "length"); depth > 0 && n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			fillEach(t, v, depth-1)
		}
	case reflect.Array:
		fillEach(t, v, depth-1)
	case reflect.Map:
		if n := rapid.IntRange(-1, 2).Draw(t, "length"); depth > 0 && n >= 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fill(t, key, depth-1)
				fill(t, value, depth-1)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(t, v.Field(i), depth)
			}
		}
	case reflect.Interface:
		if v.NumMethod() == 0 && rapid.Bool().Draw(t, "any") {
			v.Set(reflect.ValueOf(rapid.SampledFrom([]any{1, "<", model.Text("\u202e"), []string{"x"}, &onPointer{3}}).Draw(t, "value")))
		}
	}
}

func fillEach(t *rapid.T, v reflect.Value, depth int) {
	for i := range v.Len() {
		fill(t, v.Index(i), depth)
	}
}
