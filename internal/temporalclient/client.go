// Package temporalclient connects Holdpoint's programs to Temporal: any
// address, namespace, TLS and API key, through the profile file and the
// TEMPORAL_* variables that the temporal CLI reads too.
package temporalclient

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"
)

// Flags are the connection flags that every program has. Empty ones leave
// what the profile and the environment say.
type Flags struct {
	Address   string
	Namespace string
	Profile   string
}

// Options returns the client options for the flags, without connecting. Each of
// with changes them further.
func Options(f Flags, logger log.Logger, with ...func(*client.Options)) (client.Options, error) {
	options, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{ConfigFileProfile: f.Profile})
	if err != nil {
		return client.Options{}, fmt.Errorf("temporal profile: %w", err)
	}
	if f.Address != "" {
		options.HostPort = f.Address
	}
	if options.HostPort == "" {
		options.HostPort = client.DefaultHostPort
	}
	if f.Namespace != "" {
		options.Namespace = f.Namespace
	}
	if options.Namespace == "" {
		options.Namespace = client.DefaultNamespace
	}
	options.Logger = logger
	for _, change := range with {
		change(&options)
	}
	return options, nil
}

// Dial connects, and says in one line what to look at when it cannot.
func Dial(ctx context.Context, f Flags, logger log.Logger, with ...func(*client.Options)) (client.Client, client.Options, error) {
	options, err := Options(f, logger, with...)
	if err != nil {
		return nil, options, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	c, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, options, fmt.Errorf("no Temporal server at %s (namespace %s): %w; set --address, TEMPORAL_ADDRESS or a profile",
			options.HostPort, options.Namespace, err)
	}
	return c, options, nil
}
