package blobs_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/secrets"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

func TestConfigIsReadFromYAML(t *testing.T) {
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(`
url: s3://holdpoint/prod?endpoint=https://objects.example.com:9000&region=eu-central-1&path_style=true
access_key: ${env:S3_ACCESS_KEY}
secret_key: ${env:S3_SECRET_KEY}
session_token: ${file:/run/secrets/session}
ca_file: ca.pem
`), &document))
	var c blobs.Config
	require.NoError(t, strictyaml.Decode("holdpoint.yaml", &document, &c))
	require.NoError(t, c.Validate())
	require.True(t, c.Shared())
	require.False(t, c.IsZero())
	require.Equal(t, "${env:S3_SECRET_KEY}", c.SecretKey.String())
	require.Equal(t, "ca.pem", c.CAFile)

	require.True(t, blobs.Config{}.IsZero())
	require.False(t, blobs.Config{CAFile: "x"}.IsZero())
	require.False(t, blobs.Config{URL: "file:///srv/blobs"}.Shared())
}

func TestBucketAddresses(t *testing.T) {
	access, secret := text(t, "a"), text(t, "${env:S}")
	at := func(url string) blobs.Config { return blobs.Config{URL: url, AccessKey: access, SecretKey: secret} }
	for _, url := range []string{
		"s3://holdpoint", "s3://holdpoint/", "s3://holdpoint/prod/eu", "s3://holdpoint?region=eu-central-1",
		"s3://holdpoint?endpoint=https://s3.example.com", "s3://holdpoint?endpoint=http://127.0.0.1:9000&path_style=true",
		"s3://holdpoint?endpoint=http://s3.internal:9000&insecure=true",
	} {
		require.NoError(t, at(url).Validate(), url)
		s, err := at(url).Open()
		require.NoError(t, err, "nothing is asked of a store yet")
		require.NoError(t, s.Close())
	}
	for url, want := range map[string]string{
		"s3://":                                                     "with the name of a bucket",
		"s3://Bucket":                                               "with the name of a bucket",
		"s3:holdpoint":                                              "with the name of a bucket",
		"s3://holdpoint:9000":                                       "with the name of a bucket",
		"s3://key:PASSWORD@holdpoint":                               "keys do not stand in the address",
		"s3://holdpoint/../x":                                       "the prefix",
		"s3://holdpoint/a//b":                                       "the prefix",
		"s3://holdpoint#x":                                          "ends with its parameters",
		"s3://holdpoint?secret=PASSWORD":                            "and no others",
		"s3://holdpoint?region=":                                    "the parameter region",
		"s3://holdpoint?region=a&region=PASSWORD":                   "the parameter region",
		"s3://holdpoint?path_style=PASSWORD":                        "the parameter path_style",
		"s3://holdpoint?region=%zz":                                 "cannot be read",
		"s3://holdpoint?endpoint=s3.example.com":                    "the endpoint must be",
		"s3://holdpoint?endpoint=https://s3.example.com/path":       "the endpoint must be",
		"s3://holdpoint?endpoint=https://a:PASSWORD@s3.example.com": "the endpoint must be",
		"s3://holdpoint?endpoint=http://s3.example.com":             "in clear",
		"file:///srv/blobs":                                         "takes no keys",
	} {
		err := at(url).Validate()
		require.ErrorContains(t, err, "blob store: ", url)
		require.ErrorContains(t, err, want, url)
		require.NotContains(t, err.Error(), "PASSWORD")
		_, openErr := at(url).Open()
		require.Equal(t, err, openErr)
	}
	for what, c := range map[string]blobs.Config{
		"no keys":        {URL: "s3://holdpoint"},
		"half the keys":  {URL: "s3://holdpoint", AccessKey: access},
		"a plain secret": {URL: "s3://holdpoint", AccessKey: access, SecretKey: access},
		"a plain token":  {URL: "s3://holdpoint", AccessKey: access, SecretKey: secret, SessionToken: access},
	} {
		require.ErrorContains(t, c.Validate(), "secret_key", what)
	}
	require.NoError(t, blobs.Config{URL: "s3://holdpoint", AccessKey: access, SecretKey: secret, SessionToken: secrets.Text{}}.Validate())
}
