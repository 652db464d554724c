package gitea

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"text/template"
)

// config is Gitea's app.ini. What it leaves out is as Gitea has it, the search
// index for issues among it.
var config = template.Must(template.New("app.ini").Parse(`APP_NAME = Gitea
RUN_MODE = prod
WORK_PATH = {{.Dir}}
[server]
STATIC_ROOT_PATH = {{.Source}}
HTTP_ADDR = {{.Host}}
HTTP_PORT = {{.Port}}
ROOT_URL = {{.URL}}/
OFFLINE_MODE = true
DISABLE_SSH = true
[database]
DB_TYPE = postgres
HOST = {{.Database.Host}}
NAME = {{.DatabaseName}}
USER = {{.Database.User.Username}}
PASSWD = {{.DatabasePassword}}
SSL_MODE = disable
[security]
INSTALL_LOCK = true
SECRET_KEY = {{.Secret}}
[service]
DISABLE_REGISTRATION = true
[mailer]
ENABLED = false
[cron]
ENABLED = false
[actions]
ENABLED = false
[packages]
ENABLED = false
[api]
MAX_RESPONSE_ITEMS = {{.PageSize}}
[log]
MODE = console
LEVEL = warn
`))

// defaultPageSize is Gitea's own.
const defaultPageSize = 50

// configure writes app.ini for a server at an address (host:port) with a
// database.
func (s *Server) configure(address, database string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	at, err := url.Parse(database)
	if err != nil {
		return fmt.Errorf("the database's address: %w", err)
	}
	password, _ := at.User.Password()
	var text bytes.Buffer
	err = config.Execute(&text, map[string]any{
		"Dir": s.dir, "Source": s.installation.source, "Host": host, "Port": port, "URL": "http://" + address,
		"Database": at, "DatabaseName": filepath.Base(at.Path), "DatabasePassword": password, "Secret": rand.Text(),
		"PageSize": cmp.Or(s.options.PageSize, defaultPageSize),
	})
	if err != nil {
		return err
	}
	s.address = address
	return os.WriteFile(s.configFile(), text.Bytes(), 0o600)
}

func (s *Server) configFile() string { return filepath.Join(s.dir, "app.ini") }
