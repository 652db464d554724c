package gitpages

import (
	"os"
	"slices"
)

// networkSettings go before every command that speaks with a remote: nothing
// is sent that was not asked for, no answer leads to another server, and the
// cache is not reorganised meanwhile.
var networkSettings = []string{
	"-c", "http.followRedirects=false",
	"-c", "push.followTags=false",
	"-c", "push.gpgSign=false",
	"-c", "push.recurseSubmodules=no",
	"-c", "fetch.recurseSubmodules=no",
	"-c", "fetch.writeCommitGraph=false",
	"-c", "maintenance.auto=false",
}

// pushSettings keep curl from sending a push twice: it repeats a request on a
// connection of an earlier one when that turns out to be closed, and cannot know
// whether the request had arrived. So each request gets a connection of its own.
var pushSettings = []string{
	"-c", "http.version=HTTP/1.1",
	"-c", "http.extraHeader=Connection: close",
}

// networkEnvironment are the variables by which git, curl and ssh find
// credentials, keys, certificates and proxies.
var networkEnvironment = []string{
	"HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME",
	"GIT_ASKPASS", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "SSH_AUTH_SOCK",
	"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
}

// network returns a git that speaks with a remote by one transport, and asks
// nobody anything.
func (g git) network(scheme, credentialHelper string) git {
	env := []string{"GIT_ALLOW_PROTOCOL=" + scheme}
	for _, name := range networkEnvironment {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	if os.Getenv("GIT_SSH_COMMAND") == "" && os.Getenv("GIT_SSH") == "" {
		env = append(env, "GIT_SSH_COMMAND=ssh -o BatchMode=yes")
	}
	g = g.with(env...)
	g.config = networkSettings
	if credentialHelper != "" {
		g.config = append(slices.Clip(g.config), "-c", "credential.helper="+credentialHelper)
	}
	return g
}
