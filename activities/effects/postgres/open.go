package postgres

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// connectTimeout and pingTimeout leave time for another try.
	connectTimeout = 3 * time.Second
	pingTimeout    = time.Second
	// maxConns is for a URL that does not say it: enough for the commits of a
	// plan's parallel actions to share their waits for the disk.
	maxConns = 16
)

// Open opens the ledger in the database of a URL,
// postgres://user:password@host:port/database, with the parameters that pgx
// and its pool know (sslmode, search_path, pool_max_conns). The table is made
// where it is missing, and an older one is brought to this version's schema.
// A table that another program made is refused, and so is one that a newer
// version of this program made. Errors name the host, and nothing else of the
// URL.
func Open(ctx context.Context, address string) (*Ledger, error) {
	config, err := configure(address)
	if err != nil {
		return nil, err
	}
	return open(ctx, config)
}

// open is Open for a URL that has been read.
func open(ctx context.Context, config *pgxpool.Config) (*Ledger, error) {
	host := hostOf(config)
	if err := prepare(ctx, config.ConnConfig); err != nil {
		return nil, name(host, err)
	}
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(ctx), config) // ctx is that of the opening
	if err != nil {
		return nil, name(host, err)
	}
	return &Ledger{pool: pool, host: host, patience: patience}, nil
}

// configure reads a URL. What is wrong with one is not said: nobody can tell
// then which part of it is the password.
func configure(address string) (*pgxpool.Config, error) {
	if !strings.HasPrefix(address, "postgres://") && !strings.HasPrefix(address, "postgresql://") {
		return nil, errors.New("effect ledger: the URL does not start with postgres://")
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, errors.New("effect ledger: the URL cannot be read; write postgres://user:password@host:port/database, " +
			"with what is special in a password percent-encoded")
	}
	if parsed, err := url.Parse(address); err == nil && !parsed.Query().Has("pool_max_conns") {
		config.MaxConns = maxConns
	}
	config.PingTimeout = cmp.Or(config.PingTimeout, pingTimeout)
	connection := config.ConnConfig
	connection.ConnectTimeout = cmp.Or(connection.ConnectTimeout, connectTimeout)
	if connection.RuntimeParams["application_name"] == "" {
		connection.RuntimeParams["application_name"] = "holdpoint"
	}
	return config, nil
}

// hostOf is where the database is, for error texts.
func hostOf(config *pgxpool.Config) string {
	address := func(host string, port uint16) string { return net.JoinHostPort(host, strconv.Itoa(int(port))) }
	hosts := []string{address(config.ConnConfig.Host, config.ConnConfig.Port)}
	for _, other := range config.ConnConfig.Fallbacks {
		hosts = append(hosts, address(other.Host, other.Port))
	}
	return strings.Join(slices.Compact(hosts), ", ")
}
