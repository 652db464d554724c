package gitcli

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

// networkEnvironment are the variables by which git, curl and ssh find
// credentials, keys, certificates and proxies.
var networkEnvironment = []string{
	"HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME",
	"GIT_ASKPASS", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "SSH_AUTH_SOCK",
	"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
}

// Network returns a Git that speaks with a remote by one transport, and asks
// nobody anything.
func (g Git) Network(scheme, credentialHelper string) Git {
	env := []string{"GIT_ALLOW_PROTOCOL=" + scheme}
	for _, name := range networkEnvironment {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	if os.Getenv("GIT_SSH_COMMAND") == "" && os.Getenv("GIT_SSH") == "" {
		env = append(env, "GIT_SSH_COMMAND=ssh -o BatchMode=yes")
	}
	g = g.With(env...)
	g.Config = networkSettings
	if credentialHelper != "" {
		g.Config = append(slices.Clip(g.Config), "-c", "credential.helper="+credentialHelper)
	}
	return g
}
