package devserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// askAgain is the pause between two questions to a server that is starting.
const askAgain = 20 * time.Millisecond

// healthName is the service that the frontend reports its health under.
const healthName = "temporal.api.workflowservice.v1.WorkflowService"

// probe asks a starting server whether it can be used.
type probe struct {
	conn      *grpc.ClientConn
	namespace string
}

func newProbe(address, namespace string) (*probe, error) {
	conn, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithNoProxy(),
		// The first attempts meet a closed port; the default pause after one
		// is longer than the server takes to start.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: askAgain, Multiplier: 1, MaxDelay: askAgain},
			MinConnectTimeout: time.Second,
		}))
	if err != nil {
		return nil, err
	}
	return &probe{conn: conn, namespace: namespace}, nil
}

func (p *probe) close() { p.conn.Close() }

// healthy reports nil when the frontend serves and the namespace answers.
func (p *probe) healthy(ctx context.Context) error {
	status, err := grpc_health_v1.NewHealthClient(p.conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: healthName})
	if err != nil {
		return err
	}
	if status.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		return fmt.Errorf("frontend is %s", status.GetStatus())
	}
	_, err = workflowservice.NewWorkflowServiceClient(p.conn).
		DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: p.namespace})
	return err
}

// missing returns those of the wanted search attributes that the namespace
// does not have with their types.
func (p *probe) missing(ctx context.Context, want map[string]enumspb.IndexedValueType) (map[string]enumspb.IndexedValueType, error) {
	listed, err := operatorservice.NewOperatorServiceClient(p.conn).
		ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: p.namespace})
	if err != nil {
		return nil, err
	}
	lacking := map[string]enumspb.IndexedValueType{}
	for name, kind := range want {
		if listed.GetCustomAttributes()[name] != kind {
			lacking[name] = kind
		}
	}
	return lacking, nil
}

// register adds the wanted search attributes that are missing and waits until
// they are listed. The command line registers them in a new database only.
func (p *probe) register(ctx context.Context, want map[string]enumspb.IndexedValueType) error {
	lacking, err := p.missing(ctx, want)
	if err != nil || len(lacking) == 0 {
		return err
	}
	_, err = operatorservice.NewOperatorServiceClient(p.conn).
		AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{Namespace: p.namespace, SearchAttributes: lacking})
	if err != nil {
		return fmt.Errorf("register search attributes: %w", err)
	}
	return poll(ctx, func(ctx context.Context) error {
		lacking, err := p.missing(ctx, want)
		if err == nil && len(lacking) > 0 {
			err = fmt.Errorf("%d search attributes are not registered yet", len(lacking))
		}
		return err
	})
}

// poll calls try until it succeeds or ctx ends, and then returns the reason of
// that end with try's last error.
func poll(ctx context.Context, try func(context.Context) error) error {
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(askAgain):
		}
	}
}
