package faults

// Paced is an error with its own way of trying again, such as the one that a
// tool declares. Its text and its class are those of Err.
type Paced struct {
	Err   error
	Retry Retry
}

func (p *Paced) Error() string { return p.Err.Error() }
func (p *Paced) Unwrap() error { return p.Err }

// Last is an error after which no further attempt is to be made, whatever its
// class. Its text and its class are those of Err.
type Last struct{ Err error }

func (l *Last) Error() string { return l.Err.Error() }
func (l *Last) Unwrap() error { return l.Err }
