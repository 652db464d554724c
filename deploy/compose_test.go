// Package deploy has no code: its tests keep docker-compose.yml and the files
// that it mounts in step with the programs. Docker Compose itself reads the
// file in `make compose-check`.
package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/devserver/devtest"
	"github.com/holdpoint/holdpoint/internal/policyfile"
	"github.com/holdpoint/holdpoint/workflows"
)

// composeFile is the part of docker-compose.yml that the tests look at.
type composeFile struct {
	Services map[string]struct {
		Image     string
		DependsOn map[string]struct{ Condition string } `yaml:"depends_on"`
		Env       map[string]string                     `yaml:"environment"`
		Ports     []string
		Volumes   []string
	}
}

func readCompose(t *testing.T) composeFile {
	t.Helper()
	var c composeFile
	readYAML(t, filepath.Join("..", "docker-compose.yml"), &c)
	return c
}

// Nothing starts before what it needs is there: not the server before its
// schema, not the worker before its search attributes.
func TestComposeStartsInOrder(t *testing.T) {
	services := readCompose(t).Services
	for _, step := range []struct{ after, before, condition string }{
		{"schema", "postgres", "service_healthy"},
		{"temporal", "schema", "service_completed_successfully"},
		{"namespace", "temporal", "service_healthy"},
		{"ui", "temporal", "service_healthy"},
		{"worker", "namespace", "service_completed_successfully"},
	} {
		require.Equal(t, step.condition, services[step.after].DependsOn[step.before].Condition, "%s after %s", step.after, step.before)
	}
}

// The server has no access control: no port may be reachable from elsewhere.
func TestComposePortsAreOfThisMachineOnly(t *testing.T) {
	published := 0
	for name, service := range readCompose(t).Services {
		for _, port := range service.Ports {
			published++
			require.Regexp(t, `^127\.0\.0\.1:\d+:\d+$`, port, name)
		}
	}
	require.Equal(t, 2, published, "Temporal and its Web UI")
}

// Images are pinned, and those of one Temporal release belong together.
func TestComposeImages(t *testing.T) {
	services := readCompose(t).Services
	for name, service := range services {
		if name != "worker" { // built here
			require.Regexp(t, `^[a-z/-]+:\d+\.\d+`, service.Image, name)
		}
	}
	_, server, _ := strings.Cut(services["temporal"].Image, ":")
	for _, name := range []string{"schema", "namespace"} {
		require.True(t, strings.HasPrefix(services[name].Image, "temporalio/admin-tools:"+server+"-"), name)
	}
}

// What is mounted from the repository is there, where the settings say it is.
func TestComposeMounts(t *testing.T) {
	services := readCompose(t).Services
	mounted := map[string]string{} // place in a container → file here
	for name, service := range services {
		for _, volume := range service.Volumes {
			source, place, _ := strings.Cut(strings.TrimSuffix(volume, ":ro"), ":/")
			source = strings.TrimSuffix(strings.TrimPrefix(source, "${HOLDPOINT_NOTES:-"), "}")
			mounted["/"+place] = source
			if strings.HasPrefix(source, ".") {
				_, err := os.Stat(filepath.Join("..", source))
				require.NoError(t, err, name)
			}
		}
	}
	dynamic := services["temporal"].Env["DYNAMIC_CONFIG_FILE_PATH"] // below /etc/temporal
	require.Equal(t, "./deploy/dynamicconfig.yaml", mounted["/etc/temporal/"+dynamic])

	c, err := config.Load("holdpoint.yaml")
	require.NoError(t, err)
	require.True(t, c.SingleMachine, "the stores are files, and the server is elsewhere")
	for _, place := range []string{c.Sources["notes"].Path, c.Repositories["kb"].Path, c.Data} {
		require.Contains(t, mounted, place)
	}
}

func TestComposePolicyIsOne(t *testing.T) {
	_, err := policyfile.Read("policy.yaml")
	require.NoError(t, err)
}

// The server of docker-compose.yml is as quick as the development server.
func TestDynamicConfigIsTheDevelopmentServers(t *testing.T) {
	var file map[string][]struct{ Value yaml.Node }
	readYAML(t, "dynamicconfig.yaml", &file)
	got := map[string]string{}
	for key, values := range file {
		require.Len(t, values, 1, key)
		got[key] = values[0].Value.Value
	}
	require.Equal(t, devserver.DynamicConfig(), got)
}

// The programs in the image are built by the Go release that go.mod asks for.
func TestDockerfileUsesTheGoOfGoMod(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join("..", "go.mod"))
	require.NoError(t, err)
	release := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(string(mod))
	require.NotNil(t, release)
	dockerfile, err := os.ReadFile("Dockerfile")
	require.NoError(t, err)
	require.Contains(t, string(dockerfile), "FROM golang:"+release[1]+"-alpine AS build\n")
}

// On a new server, the script makes what the worker looks for when it starts;
// run again, it changes nothing.
func TestNamespaceScript(t *testing.T) {
	const namespace = "pieces"
	server := devtest.Start(t, devserver.Options{})
	for range 2 {
		script := exec.Command("/bin/sh", "namespace.sh")
		script.Env = append(os.Environ(), "TEMPORAL_ADDRESS="+server.Address(), "TEMPORAL_NAMESPACE="+namespace,
			"RETENTION=72h", "HOME="+t.TempDir(),
			"PATH="+filepath.Dir(devtest.CLI(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := script.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, "namespace pieces is ready\n", string(out))
	}

	want := map[string]enumspb.IndexedValueType{}
	for _, attribute := range workflows.SearchAttributes() {
		want[attribute.Name] = attribute.Type
	}
	conn, err := grpc.NewClient(server.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	listed, err := operatorservice.NewOperatorServiceClient(conn).
		ListSearchAttributes(t.Context(), &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	require.NoError(t, err)
	require.Equal(t, want, listed.GetCustomAttributes())
}

// Both databases get their schema, in order, and nothing goes on after a step
// that failed. The tool itself belongs to the image.
func TestSchemaScript(t *testing.T) {
	steps := []string{
		"--database temporal create-database",
		"--database temporal setup-schema --version 0.0",
		"--database temporal update-schema --schema-name postgresql/v12/temporal",
		"--database temporal_visibility create-database",
		"--database temporal_visibility setup-schema --version 0.0",
		"--database temporal_visibility update-schema --schema-name postgresql/v12/visibility",
	}
	calls, err := runSchemaScript(t, "no such call")
	require.NoError(t, err)
	require.Equal(t, steps, calls)

	calls, err = runSchemaScript(t, steps[1])
	require.Error(t, err)
	require.Equal(t, steps[:2], calls)
}

// runSchemaScript runs schema.sh with a tool that notes how it is called and
// fails at one call.
func runSchemaScript(t *testing.T, failsAt string) (calls []string, err error) {
	t.Helper()
	dir := t.TempDir()
	tool := "#!/bin/sh\necho \"$*\" >>" + dir + "/calls\n[ \"$*\" != '" + failsAt + "' ]\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "temporal-sql-tool"), []byte(tool), 0o755))
	script := exec.Command("/bin/sh", "schema.sh")
	script.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	err = script.Run()
	noted, readErr := os.ReadFile(filepath.Join(dir, "calls"))
	require.NoError(t, readErr)
	return strings.Split(strings.TrimSpace(string(noted)), "\n"), err
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(raw, into))
}
