package mediawiki

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/holdpoint/holdpoint/internal/targets/child"
)

// pool is a few PHP servers that answer as one. PHP's own way to have several
// (PHP_CLI_SERVER_WORKERS) leaves processes behind when this one is killed.
type pool struct {
	processes []*child.Process
	idle      chan *httputil.ReverseProxy
}

// startPool starts a PHP server at each address. What they say goes to log.
func (s *Server) startPool(addresses []string, to *os.File) (*pool, error) {
	p := &pool{idle: make(chan *httputil.ReverseProxy, len(addresses))}
	for _, address := range addresses {
		arguments := []string{"-d", "opcache.enable=1", "-S", address, "-t", s.installation.code}
		cmd := exec.Command(s.installation.php, arguments...) //nolint:noctx // it lives until it is stopped
		cmd.Env = append(s.environment(), "MW_CONFIG_FILE="+s.settings())
		cmd.Dir = filepath.Join(s.dir, "cache")
		cmd.Stdout, cmd.Stderr = to, to
		process, err := child.Start(cmd)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start PHP: %w", err), p.kill())
		}
		p.processes = append(p.processes, process)
		p.idle <- relay(address)
	}
	return p, nil
}

func relay(address string) *httputil.ReverseProxy {
	backend := &url.URL{Scheme: "http", Host: address}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(backend)
			r.Out.Host = r.In.Host
		},
		// A connection a request: nothing is ever sent a second time.
		Transport: &http.Transport{DisableKeepAlives: true},
		ErrorLog:  log.New(io.Discard, "", 0), // the caller sees a 502
	}
}

// ServeHTTP gives the request to a PHP server that is idle; each handles one
// at a time.
func (p *pool) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case to := <-p.idle:
		defer func() { p.idle <- to }()
		to.ServeHTTP(w, r)
	}
}

func (p *pool) kill() error {
	var errs []error
	for _, process := range p.processes {
		errs = append(errs, process.Kill())
	}
	return errors.Join(errs...)
}
