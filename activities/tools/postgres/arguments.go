package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// command is a statement or a query with its arguments filled in.
type command struct {
	name   string // the field of the declaration
	sql    string
	values []any // as template.Value renders them
}

// fill renders a command's arguments.
func (s *sender) fill(name, sql string, arguments []template.Value, vars template.Vars) (command, error) {
	c := command{name: name, sql: sql, values: make([]any, len(arguments))}
	for i, argument := range arguments {
		value, err := argument.Render(vars)
		if err != nil {
			return c, s.refuse("argument %d of its %s: %s", i+1, name, err)
		}
		c.values[i] = value
	}
	return c, nil
}

// prepared is a command that the server has parsed.
type prepared struct {
	columns   []string
	arguments [][]byte // in PostgreSQL's text format; nil is NULL
}

// prepare lets the server parse the command, which tells the types of its
// parameters, and encodes the arguments for them. It runs nothing. The
// statement is the session's unnamed one, until the next.
func (c command) prepare(ctx context.Context, conn *pgx.Conn) (prepared, error) {
	description, err := conn.PgConn().Prepare(ctx, "", c.sql, nil)
	if err != nil {
		return prepared{}, err
	}
	if want := len(description.ParamOIDs); want != len(c.values) {
		return prepared{}, permanent("bad_arguments", "the %s has %d parameters, and %d arguments are declared", c.name, want, len(c.values))
	}
	p := prepared{arguments: make([][]byte, len(c.values))}
	for i, value := range c.values {
		if p.arguments[i], err = encode(value, description.ParamOIDs[i]); err != nil {
			return prepared{}, permanent("bad_arguments", "argument %d of the %s %s", i+1, c.name, err)
		}
	}
	for _, field := range description.Fields {
		p.columns = append(p.columns, field.Name)
	}
	return p, nil
}

// run executes the prepared command.
func (p prepared) run(ctx context.Context, conn *pgx.Conn) *pgconn.ResultReader {
	return conn.PgConn().ExecPrepared(ctx, "", p.arguments, nil, nil)
}

// encode writes a value for a parameter, in text format: the server reads it
// as the parameter's type demands. A JSON parameter gets any value as JSON.
// Elsewhere a list becomes an array, and an object is refused.
func encode(value any, oid uint32) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	var text string
	var err error
	if oid == pgtype.JSONOID || oid == pgtype.JSONBOID {
		text, err = jsonText(value)
	} else if list, ok := value.([]any); ok {
		text, err = arrayText(list)
	} else {
		text, err = scalarText(value)
	}
	if err == nil && strings.ContainsRune(text, 0) {
		err = errors.New("holds U+0000, which PostgreSQL cannot store")
	}
	return []byte(text), err
}

func jsonText(value any) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func scalarText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case uint64:
		return strconv.FormatUint(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	default:
		return "", errors.New("is an object, and its parameter is no JSON; write $n::jsonb to make it one")
	}
}

// arrayText writes a list as an array (PostgreSQL's documentation, "Array
// Input and Output Syntax"): each element in quotes, so that none can be read
// as more than one.
func arrayText(list []any) (string, error) {
	elements := make([]string, len(list))
	for i, item := range list {
		switch v := item.(type) {
		case nil:
			elements[i] = "NULL"
		case []any:
			inner, err := arrayText(v)
			if err != nil {
				return "", err
			}
			elements[i] = inner
		default:
			text, err := scalarText(item)
			if err != nil {
				return "", fmt.Errorf("holds an element that %w", err)
			}
			elements[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
		}
	}
	return "{" + strings.Join(elements, ",") + "}", nil
}
