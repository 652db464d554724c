package misfit_test

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/holdpoint/holdpoint/internal/misfit"
)

// first is what is told of a value that does not fit.
func first(t *testing.T, schema, value string) string {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("urn:test", parsed))
	compiled, err := compiler.Compile("urn:test")
	require.NoError(t, err)
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	require.NoError(t, err)
	var report *jsonschema.ValidationError
	require.ErrorAs(t, compiled.Validate(instance), &report)
	one := misfit.First(report)
	require.Empty(t, one.Causes)
	return "/" + strings.Join(one.InstanceLocation, "/") + ": " + one.ErrorKind.LocalizedString(message.NewPrinter(language.English))
}

// Whatever order the validator meets them in, the same mistake is told.
func TestOfManyMistakesTheFirstIsAlwaysTheSame(t *testing.T) {
	const five = `{"e":1,"d":2,"c":3,"b":4,"a":5}`
	for name, tt := range map[string]struct{ schema, value, want string }{
		"one": {`{"type":"object"}`, `1`, "/: got number, want object"},
		"five members too many": {`{"additionalProperties":false}`, five,
			"/: additional properties 'a', 'b', 'c', 'd', 'e' not allowed"},
		"five of a wrong type":      {`{"additionalProperties":{"type":"string"}}`, five, "/a: got number, want string"},
		"a missing one comes first": {`{"additionalProperties":false,"required":["z","y"]}`, five, "/: missing properties 'z', 'y'"},
		"also when it is deeper":    {`{"properties":{"z":{"required":["y"]},"a":{"type":"string"}}}`, `{"a":1,"z":{}}`, "/z: missing property 'y'"},
		"items by number": {`{"items":{"type":"string"}}`,
			`["","","",3,"","","","","","",10]`, "/3: got number, want string"},
		"two keywords of one place": {`{"additionalProperties":{"type":"string","minLength":3,"pattern":"^[a-c]*$"}}`, `{"b":"x","c":"y"}`, "/b: minLength: got 1, want 3"},
		"alternatives":              {`{"anyOf":[{"additionalProperties":{"type":"string"}},{"maxProperties":3}]}`, five, "/: maxProperties: got 5, want 3"},
		"dependent schemas": {`{"dependentSchemas":{"a":{"properties":{"e":{"type":"string"}}},"b":{"properties":{"d":{"type":"string"}}},"c":false}}`,
			five, "/: false schema"},
		"dependent members": {`{"dependentRequired":{"a":["z"],"b":["y"],"c":["x"]}}`, five, "/: properties 'z' required, if 'a' exists"},
		"names": {`{"patternProperties":{"":{"propertyNames":{"maxLength":1}}}}`, `{"b":{"long":1,"longer":2},"a":{"longest":3}}`,
			"/: invalid propertyName 'long'"},
		"what is not evaluated": {`{"unevaluatedProperties":false}`, five, "/a: false schema"},
		"by two ways":           {`{"allOf":[{"additionalProperties":false},{"additionalProperties":false}]}`, five, "/: additional properties 'a', 'b', 'c', 'd', 'e' not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 50 {
				require.Equal(t, tt.want, first(t, tt.schema, tt.value))
			}
		})
	}
}
