package template

import (
	"bytes"
	"encoding/json"
	"fmt"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// Parameters reads parameters for Vars. Whole numbers become int64, so that
// they are written as they were.
func Parameters(raw json.RawMessage) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var params map[string]any
	if err := decoder.Decode(&params); err != nil {
		return nil, fmt.Errorf("the parameters are no JSON object: %w", err)
	}
	return numbers(params).(map[string]any), nil
}

// Answer reads a JSON answer of a target for an extra variable of Eval.
func Answer(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return numbers(value), nil
}

func numbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		float, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return float
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
