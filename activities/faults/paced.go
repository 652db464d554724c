package faults

// Paced is an error with its own way of trying again, such as the one that a
// tool declares. Its text and its class are those of Err.
type Paced struct {
	Err   error
	Retry Retry
}

func (p *Paced) Error() string { return p.Err.Error() }
func (p *Paced) Unwrap() error { return p.Err }
