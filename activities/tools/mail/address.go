package mail

import (
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/activities/tools/mail/smtpclient"
	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// addresses fills in a setting that is one address or a list of them. Each text
// is one address, so that a parameter cannot bring in more than one.
func addresses(value template.Value, vars template.Vars) ([]smtpclient.Address, error) {
	rendered, err := value.Render(vars)
	if err != nil {
		return nil, err
	}
	return flatten(rendered, nil)
}

func flatten(value any, list []smtpclient.Address) ([]smtpclient.Address, error) {
	switch v := value.(type) {
	case nil:
		return list, nil
	case string:
		one, err := smtpclient.ParseAddress(v)
		return append(list, one), err
	case []any:
		for _, item := range v {
			var err error
			if list, err = flatten(item, list); err != nil {
				return nil, err
			}
		}
		return list, nil
	default:
		return nil, fmt.Errorf("a mail address must be a text, and is a %T", v)
	}
}

// people is a list as an approver reads it.
func people(list []smtpclient.Address) string {
	shown := make([]string, len(list))
	for i, a := range list {
		shown[i] = strings.TrimSpace(a.Name + " " + a.Path())
	}
	return strings.Join(shown, ", ")
}
