package temporalclient

import "github.com/spf13/pflag"

// Register adds the connection flags to a command. Their names are the
// temporal CLI's.
func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&f.Address, "address", "", "Temporal address (default: profile, TEMPORAL_ADDRESS, or localhost:7233)")
	flags.StringVarP(&f.Namespace, "namespace", "n", "", "Temporal namespace (default: profile, TEMPORAL_NAMESPACE, or \"default\")")
	flags.StringVar(&f.Profile, "profile", "", "profile of the Temporal configuration file")
}
