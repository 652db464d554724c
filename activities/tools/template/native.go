package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// Parameters reads parameters for Vars. Whole numbers become int64, so that
// they are written as they were.
func Parameters(raw json.RawMessage) (map[string]any, error) {
	value, err := Answer(raw)
	if err != nil {
		return nil, err
	}
	params, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("the parameters are no JSON object")
	}
	return params, nil
}

// Answer reads one JSON value, and nothing after it: an answer of a target,
// for an extra variable of Eval. A whole number that fits neither int64 nor
// uint64 becomes its digits as a text, for it is an id and would be another one
// when rounded. The error quotes nothing of raw.
func Answer(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("no JSON near byte %d", decoder.InputOffset())
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more than one JSON value, from byte %d on", decoder.InputOffset())
	}
	return numbers(value), nil
}

func numbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		return number(v.String())
	case map[string]any:
		for name, member := range v {
			v[name] = numbers(member)
		}
	case []any:
		for i, item := range v {
			v[i] = numbers(item)
		}
	}
	return value
}

func number(digits string) any {
	if whole, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return whole
	}
	if whole, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return whole
	}
	float, err := strconv.ParseFloat(digits, 64)
	if err != nil || !strings.ContainsAny(digits, ".eE") {
		return digits
	}
	return float
}

// native turns a CEL value into Go's.
func native(value ref.Val) (any, error) {
	switch v := value.(type) {
	case types.Null:
		return nil, nil //nolint:nilnil // null is a value
	case types.Bool, types.Int, types.Uint, types.Double, types.String:
		return v.Value(), nil
	case traits.Mapper:
		out := map[string]any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			name := it.Next()
			text, ok := name.Value().(string)
			if !ok {
				return nil, fmt.Errorf("an object's member is named by a %s", name.Type().TypeName())
			}
			member, err := native(v.Get(name))
			if err != nil {
				return nil, err
			}
			out[text] = member
		}
		return out, nil
	case traits.Lister:
		out := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			item, err := native(it.Next())
			if err != nil {
				return nil, err
			}
			out = append(out, item)
		}
		return out, nil
	default:
		return nil, fmt.Errorf("a value of type %s cannot be sent", value.Type().TypeName())
	}
}
