package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The declarations below are the ones of the other tests with one thing wrong.
// ADDRESS and URL are those of a place that nothing is sent to.
func declareAt(declaration string) error {
	_, err := declare(strings.NewReplacer("ADDRESS", "api.example.com", "URL", "https://api.example.com").Replace(declaration))
	return err
}

func TestSettingsThatAreFine(t *testing.T) {
	for _, declaration := range []string{
		keyedOrders, foundOrders, onceOrders, pages + ifMatch, pages + createOnly, pages + ifMatch + createOnly,
		keyedOrders + "  key: {header: none}\n  headers: {X-Key: \"{{key}}\"}\n",
		strings.Replace(keyedOrders, "URL/orders", "\"URL/orders/{{key}}?a={{params.number == '?' ? '1' : '2'}}\"", 1) + "  key: {header: none}\n",
		onceOrders + "  auth: {basic: {user: me, password: \"${env:P}\"}}\n",
		onceOrders + "  auth: {header: {name: X-Api-Key, value: \"${file:key}\"}}\n",
		replace(replace(onceOrders, `["ADDRESS"]`, `["[::1]:8080", "ADDRESS:443"]`), "URL", "https://API.example.com"),
		replace(replace(onceOrders, `["ADDRESS"]`, `["[::1]"]`), "URL", "http://[::1]"),
	} {
		require.NoError(t, declareAt(declaration), "%s", declaration)
	}
}

func TestSettingsThatAreRefused(t *testing.T) {
	const (
		once   = onceOrders
		url    = "URL/orders"
		ref    = "receipt: {ref: body.id}"
		lookup = "  lookup: {url: URL/o, found: size(body.items) > 0, receipt: {ref: body.id}}\n"
		whole  = "hosts:" // what is missing is reported where the settings begin
	)
	for _, tt := range []struct{ name, declaration, at, want string }{
		{"unknown field", once + "  surprise: 1\n", "surprise", `unknown field "surprise"`},
		{"no hosts", replace(once, `["ADDRESS"]`, "[]"), "hosts:", "hosts is empty"},
		{"a wildcard", replace(once, `["ADDRESS"]`, `["*.example.com"]`), "hosts:", `hosts: "*.example.com" is no host`},
		{"a URL as host", replace(once, `["ADDRESS"]`, `["https://api.example.com"]`), "hosts:", `hosts: "https://api.example.com" is no host`},
		{"another port", replace(once, `["ADDRESS"]`, `["ADDRESS:8443"]`), "url:", "url: hosts does not list api.example.com"},
		{"another host", replace(once, url, "https://other.example.com/"), "url:", "url: hosts does not list other.example.com"},
		{"another scheme's port", replace(once, url, "https://api.example.com:80/"), "url:", "url: hosts does not list api.example.com:80"},
		{"no url", replace(once, "  url: "+url+"\n", ""), whole, "url is missing"},
		{"host of a parameter", replace(once, url, "https://{{params.number}}/"), "url:", "url: a url's host is written out"},
		{"user in the url", replace(once, url, "https://me:pw@api.example.com/"), "url:", "url: a url holds no user"},
		{"fragment", replace(once, url, "URL/#x"), "url:", "url: a url holds no fragment"},
		{"blank in the path", replace(once, url, "URL/a b"), "url:", "url: the url holds letters that must be escaped"},
		{"letters beyond ASCII", replace(once, url, "URL/周报"), "url:", "url: the url holds letters that must be escaped"},
		{"dots", replace(once, url, "URL/a/../b"), "url:", "url: the url's path holds a segment . or .."},
		{"escaped dots", replace(once, url, "URL/a/%2e%2E/b"), "url:", "url: the url's path holds a segment . or .."},
		{"broken escape", replace(once, url, "URL/a%zz"), "url:", "url: the url's path is not escaped"},
		{"broken expression", replace(once, url, "URL/{{params.}}"), "url:", "url: the expression"},
		{"a method that reads", once + "  method: GET\n", "method:", `method "GET"`},
		{"a reference that is no secret", once + "  auth: {bearer: abc}\n", "auth:", "auth: bearer must be a reference"},
		{"two kinds of auth", once + "  auth: {bearer: \"${env:A}\", basic: {user: a, password: \"${env:A}\"}}\n", "auth:", "auth: give one of"},
		{"basic without a secret", once + "  auth: {basic: {user: a, password: b}}\n", "auth:", "auth: basic needs"},
		{"secret and expression", once + "  headers: {X-A: \"${env:A}{{key}}\"}\n", "headers:", "headers.X-A: a header holds secrets or {{ }}"},
		{"a header's name", once + "  headers: {\"X A\": b}\n", "headers:", `headers: "X A" is no name`},
		{"two headers of one name", once + "  headers: {X-A: a, x-a: b}\n", "headers:", "headers: x-a stands there twice"},
		{"a header of the connection", once + "  headers: {Host: b}\n", "headers:", "headers: Host is not set here"},
		{"auth twice", once + "  auth: {bearer: \"${env:A}\"}\n  headers: {authorization: b}\n", "headers:", "headers: authorization is set by auth"},
		{"key header twice", keyedOrders + "  headers: {idempotency-key: b}\n", "headers:", "headers: idempotency-key is set by auth or by the tool's class"},
		{"two bodies", once + "  text: a\n  content_type: text/plain\n", " body:", "give one of body, form and text"},
		{"text without a type", replace(once, "body: {number: \"{{params.number}}\", reference: \"{{key}}\"}", "text: a"), " text:", "text needs a content_type"},
		{"a limit of 0", once + "  max_response_bytes: 0\n", "max_response_bytes:", "max_response_bytes must be from 1"},
		{"no success", once + "  success: []\n", "success:", "success is empty"},
		{"success of a refusal", once + "  success: [404]\n", "success:", "success: 404 says nowhere"},
		{"no receipt", replace(once, "  "+ref+"\n", ""), whole, "receipt.ref is missing"},
		{"broken receipt", replace(once, "ref: body.id", "ref: body..id"), "receipt", "receipt.ref: the expression"},
		{"unknown variable", replace(once, "ref: body.id", "ref: answer.id"), "receipt", "receipt.ref: the expression"},
		{"a key of a tool that is sent once", once + "  key: {style: bare}\n", "key:", "key belongs to a tool of class [keyed]"},
		{"a lookup of a tool that is sent once", once + lookup, "lookup:", "lookup belongs to a tool of class [keyed lookup]"},
		{"an unknown style", keyedOrders + "  key: {style: fancy}\n", "key:", "key.style is"},
		{"a key that nothing carries", keyedOrders + "  key: {header: none}\n", "header: none", "nothing carries the key"},
		{"a member named key is not the key", replace(replace(keyedOrders, "number", "key"), "{{params.key}}\"}", "{{params.key}}x\"}") + "  key: {header: none}\n", "header: none", "nothing carries the key"},
		{"a key header's name", keyedOrders + "  key: {header: \"a b\"}\n", "key:", "key.header is no name"},
		{"conditional without a condition", pages, whole, "class conditional needs if_match"},
		{"conditional without a look back", before(pages, "  read_back") + ifMatch, whole, "class conditional needs read_back"},
		{"creation without a refusal", pages + "  create_only: {header: false}\n", "create_only", "create_only without its header needs exists"},
		{"a precondition that nothing carries", pages + "  if_match: {header: false, read: {url: URL/p}}\n", "if_match", "nothing carries the precondition"},
		{"a look back that cannot tell", before(pages, "    ours") + "    receipt: {ref: body.id}\n" + createOnly, "    url: URL/pages/home", "read_back needs ours"},
		{"lookup without a lookup", before(foundOrders, "  lookup"), whole, "class lookup needs a lookup"},
		{"authority that cannot say no", replace(foundOrders, "    absent: size(body.items) == 0\n", ""), "    url:", "an authoritative lookup needs absent"},
		{"a lookup of nothing in particular", replace(foundOrders, "?reference={{key}}", ""), "    url:", "lookup asks for nothing of this action's own"},
		{"a lookup that judges refusals", foundOrders + "    statuses: [200, 403]\n", "statuses", "statuses: an answer of 403 says nothing"},
		{"a lookup elsewhere", replace(foundOrders, "url: URL/orders?", "url: https://other.example.com/?"), "https://other", "url: hosts does not list other.example.com"},
		{"a lookup that writes", foundOrders + "    method: DELETE\n", "method: DELETE", `method "DELETE"`},
		{"a count of nothing", once + "  count: {url: URL/orders}\n", "count:", "count needs value"},
		{"an authority's file", once + "  ca_file: nowhere.pem\n", "ca_file:", "ca_file: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := declareAt(tt.declaration)
			require.Error(t, err)
			require.Contains(t, tt.declaration, tt.at)
			line := strings.Count(before(tt.declaration, tt.at), "\n") + 1
			require.Contains(t, err.Error(), fmt.Sprintf("holdpoint.yaml:%d: %s", line, tt.want))
		})
	}
}

func before(s, part string) string {
	head, _, _ := strings.Cut(s, part)
	return head
}

// What fails on every action is refused, and every mistake is named at once.
func TestSettingsThatCanOnlyFail(t *testing.T) {
	for _, tt := range []struct{ name, declaration, want string }{
		{"constants without a value", replace(onceOrders, `{{params.number}}", reference`, `{{1/0}}", reference`), `body: the expression "1/0" has no value: division by zero`},
		{"a test of constants", onceOrders + "  failed: 1/0 > 1\n", `failed: the expression "1/0 > 1" has no value`},
		{"a text as a list", replace(onceOrders, `{{params.number}}", reference`, `{{params.number.map(x, x)}}", reference`), `the expression "params.number.map(x, x)" can only fail`},
		{"a text as a list, in the answer's test", onceOrders + "  failed: body.id == params.number + 1\n", "can only fail"},
		{"a list in the url", replace(onceOrders, "URL/orders", `"URL/orders/{{[key]}}/x"`), "cannot stand in a text"},
	} {
		require.ErrorContains(t, declareAt(tt.declaration), tt.want, tt.name)
	}
	err := declareAt(replace(onceOrders, "URL/orders", "ftp://api.example.com/") + "  success: never\n  max_response_bytes: 1.5\n")
	require.ErrorContains(t, err, "url: a url begins with http:// or https://")
	require.ErrorContains(t, err, `success: a list is expected here, and not "never"`)
	require.ErrorContains(t, err, `max_response_bytes: "1.5" is no whole number`)
	err = declareAt(replace(onceOrders, `["ADDRESS"]`, "[]") + "  method: GET\n  success: [404]\n  key: {style: bare}\n")
	for _, want := range []string{"hosts is empty", "url: hosts does not list", "success: 404", "key belongs to a tool of class"} {
		require.ErrorContains(t, err, want)
	}
}
