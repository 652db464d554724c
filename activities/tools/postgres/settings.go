package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/internal/secrets"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// settings are what a declaration says under `postgres`.
type settings struct {
	// DSN is a URL or a list of keywords, as libpq takes it. Role and
	// search_path are set in it.
	DSN secrets.Text `yaml:"dsn"`
	// Statement is one command with $1, $2, … for Arguments.
	Statement string           `yaml:"statement"`
	Arguments []template.Value `yaml:"arguments"`
	// ExpectRows is how many rows the statement must affect, or return; 1 when
	// left out. With another number nothing is committed.
	ExpectRows *int64  `yaml:"expect_rows"`
	Receipt    receipt `yaml:"receipt"`

	// PreviewQuery shows an approver the rows that matter, read only.
	PreviewQuery     string           `yaml:"preview_query"`
	PreviewArguments []template.Value `yaml:"preview_arguments"`
	// PreconditionQuery returns one value, which must be the same when the
	// statement runs as it was when the plan was made.
	PreconditionQuery     string           `yaml:"precondition_query"`
	PreconditionArguments []template.Value `yaml:"precondition_arguments"`
	// Isolation is the transaction's. Left out, it is serializable with a
	// precondition, and read committed without.
	Isolation string `yaml:"isolation"`

	ReceiptsTable string `yaml:"receipts_table"` // holdpoint_receipts when left out
}

// receipt says where in the statement's RETURNING row the receipt stands:
// expressions over row, a map from column to text or null, and rows, the number
// of rows.
type receipt struct {
	Ref    expression `yaml:"ref"`
	Detail expression `yaml:"detail"`
}

// expression is a CEL expression over a statement's answer; nil when it was
// not given.
type expression struct{ *template.Expression }

// UnmarshalYAML implements yaml.Unmarshaler.
func (e *expression) UnmarshalYAML(node *yaml.Node) error {
	var source string
	if err := node.Decode(&source); err != nil {
		return err
	}
	var err error
	if e.Expression, err = template.Compile(source, "row", "rows"); err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	return nil
}

const defaultTable = "holdpoint_receipts"

// tableName is a plain name, perhaps with its schema. It is written into
// statements as it stands, so it needs no quotes and can hold none.
var tableName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?$`)

func read(given declared.Settings) (settings, error) {
	var s settings
	if err := given.Decode(&s); err != nil {
		return s, err
	}
	s.ReceiptsTable = cmp.Or(s.ReceiptsTable, defaultTable)
	s.Isolation = cmp.Or(s.Isolation, s.defaultIsolation())
	if s.ExpectRows == nil {
		one := int64(1)
		s.ExpectRows = &one
	}
	var errs []error
	for _, check := range []struct {
		field string
		err   error
	}{
		{"dsn", checkDSN(s.DSN)},
		{"statement", checkCommand(s.Statement, "INSERT", "UPDATE", "DELETE", "MERGE", "SELECT", "WITH", "CALL")},
		{"expect_rows", checkRows(*s.ExpectRows)},
		{"preview_query", checkQuery(s.PreviewQuery, s.PreviewArguments)},
		{"precondition_query", checkQuery(s.PreconditionQuery, s.PreconditionArguments)},
		{"isolation", checkIsolation(s.Isolation)},
		{"receipts_table", checkTable(s.ReceiptsTable)},
	} {
		if check.err != nil {
			errs = append(errs, strictyaml.Fail(given.File, strictyaml.Nearest(given.Node, check.field), "postgres: %s: %s", check.field, check.err))
		}
	}
	return s, errors.Join(errs...)
}

// defaultIsolation makes a precondition hold until COMMIT.
func (s settings) defaultIsolation() string {
	if s.PreconditionQuery != "" {
		return "serializable"
	}
	return "read committed"
}

func checkDSN(dsn secrets.Text) error {
	switch {
	case dsn.IsZero():
		return errors.New("it is missing; it says where the database is, e.g. ${env:ORDERS_DSN}")
	case dsn.HasReference():
		return nil // read when it is used
	}
	if _, err := pgxpool.ParseConfig(dsn.String()); err != nil {
		return errors.New("it is no PostgreSQL connection string")
	}
	return nil
}

func checkRows(rows int64) error {
	if rows < 0 {
		return errors.New("it must not be negative")
	}
	return nil
}

func checkQuery(query string, arguments []template.Value) error {
	if query == "" {
		if len(arguments) > 0 {
			return errors.New("it is missing, and there are arguments for it")
		}
		return nil
	}
	return checkCommand(query, "SELECT", "WITH", "VALUES")
}

// checkCommand wants one of these commands. Above all no COMMIT, after which
// the receipt would no longer be in one transaction with the effect.
func checkCommand(command string, allowed ...string) error {
	word := strings.ToUpper(firstWord(command))
	switch {
	case word == "":
		return errors.New("it is missing")
	case !slices.Contains(allowed, word):
		return fmt.Errorf("it must begin with one of %s", strings.Join(allowed, ", "))
	}
	return nil
}

// firstWord is the first word of a command, after its comments.
func firstWord(command string) string {
	for {
		command = strings.TrimLeft(command, " \t\r\n(")
		rest, line := strings.CutPrefix(command, "--")
		if line {
			_, command, _ = strings.Cut(rest, "\n")
			continue
		}
		rest, block := strings.CutPrefix(command, "/*")
		if !block {
			break
		}
		_, command, _ = strings.Cut(rest, "*/")
	}
	end := strings.IndexFunc(command, func(c rune) bool { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') })
	if end < 0 {
		return command
	}
	return command[:end]
}

func checkIsolation(level string) error {
	switch level {
	case "read committed", "repeatable read", "serializable":
		return nil
	default:
		return errors.New("it is read committed, repeatable read or serializable")
	}
}

func checkTable(name string) error {
	if !tableName.MatchString(name) {
		return errors.New("it is a name of lower-case letters, digits and _, perhaps with that of its schema before a dot")
	}
	return nil
}
