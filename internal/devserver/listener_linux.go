package devserver

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// ownsListener reports whether the process listens on 127.0.0.1:port, by
// finding one of its file descriptors in the kernel's table of TCP sockets.
func ownsListener(pid, port int) (bool, error) {
	inode, err := listenerInode(pid, port)
	if err != nil || inode == "" {
		return false, err
	}
	descriptors, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		return false, err
	}
	for _, fd := range descriptors {
		if target, err := os.Readlink(fd); err == nil && target == "socket:["+inode+"]" {
			return true, nil
		}
	}
	return false, nil
}

// listenerInode looks up who listens on the port: "" for nobody. See proc(5):
// a line is "sl local_address rem_address st … inode …", addresses being in
// the machine's byte order.
func listenerInode(pid, port int) (string, error) {
	const (
		fieldLocal, fieldState, fieldInode = 1, 3, 9
		stateListen                        = "0A"
	)
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid))
	if err != nil {
		return "", err
	}
	ip := make([]byte, net.IPv4len)
	binary.NativeEndian.PutUint32(ip, binary.BigEndian.Uint32(net.ParseIP(loopback).To4()))
	want := fmt.Sprintf("%s:%04X", strings.ToUpper(hex.EncodeToString(ip)), port)
	for lines := bufio.NewScanner(bytes.NewReader(table)); lines.Scan(); {
		field := strings.Fields(lines.Text())
		if len(field) > fieldInode && field[fieldLocal] == want && field[fieldState] == stateListen {
			return field[fieldInode], nil
		}
	}
	return "", nil
}
