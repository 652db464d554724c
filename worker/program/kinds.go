package program

import (
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi"
	"github.com/holdpoint/holdpoint/activities/tools/jetstream"
	"github.com/holdpoint/holdpoint/activities/tools/mail"
	"github.com/holdpoint/holdpoint/activities/tools/object"
	"github.com/holdpoint/holdpoint/activities/tools/postgres"
)

// kinds are the kinds of tools that a configuration can declare.
func kinds() []declared.Kind {
	return []declared.Kind{httpapi.Kind{}, jetstream.Kind{}, mail.Kind{}, object.Kind{}, postgres.Kind{}}
}
