//go:build linux && !amd64 && !arm64

package sandbox

// No filter is written for this processor, so no command is run on it.
const (
	auditArch = 0
	x32       = 0
)

var oldMetadataCalls, oldRefusedCalls []uint32
