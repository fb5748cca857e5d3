//go:build unix

package relay_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// The test binary is also the server behind the relay: "fake MODE" as its arguments make it so.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "fake" {
		// Should the relay fail to end it, it must not stay for ever.
		time.AfterFunc(time.Minute, func() { os.Exit(97) })
		fake(os.Args[2], os.Args[3:])
		os.Exit(0)
	}
	// A program built with the race detector otherwise lingers for a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

func fake(mode string, args []string) {
	switch mode {
	case "cat": // passes on what it reads, piece by piece
		buf := make([]byte, 64<<10)
		for {
			n, err := os.Stdin.Read(buf)
			os.Stdout.Write(buf[:n])
			if err != nil {
				return
			}
		}
	case "single": // the same in writes of one byte
		all, _ := io.ReadAll(os.Stdin)
		for i := range all {
			os.Stdout.Write(all[i : i+1])
		}
	case "late": // answers only when everything has been said
		all, _ := io.ReadAll(os.Stdin)
		os.Stdout.Write(bytes.Repeat(all, 1000))
	case "exit":
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	case "flood": // writes and is gone before anybody reads it
		n, _ := strconv.Atoi(args[0])
		os.Stdout.Write(bytes.Repeat([]byte("x"), n))
		os.Exit(4)
	case "die":
		n, _ := strconv.Atoi(args[0])
		syscall.Kill(os.Getpid(), syscall.Signal(n))
		select {}
	case "stderr":
		os.Stderr.WriteString("\x1b[1mlog line\x1b[0m\n")
	case "hello": // says its process id and waits for the end of its input
		fmt.Println(os.Getpid())
		io.Copy(io.Discard, os.Stdin)
	case "close-stdout":
		os.Stdout.WriteString("bye\n")
		os.Stdout.Close()
		io.Copy(io.Discard, os.Stdin)
		os.Exit(7)
	case "close-stdin":
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, syscall.SIGTERM)
		os.Stdin.Close()
		fmt.Println("closed")
		<-caught
		os.Exit(6)
	case "signals": // names the first signal
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		fmt.Println(os.Getpid())
		fmt.Println(<-caught)
		os.Exit(5)
	case "stubborn", "polite": // takes its first line as leave to go on writing
		if mode == "stubborn" {
			signal.Ignore(syscall.SIGTERM)
		}
		fmt.Println(os.Getpid())
		bufio.NewReader(os.Stdin).ReadString('\n')
		os.Stdout.WriteString("more\n")
		select {}
	case "parent": // on leave, leaves a child behind that holds its output
		fmt.Println(os.Getpid())
		cmd := exec.Command(os.Args[0], "fake", args[0])
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			os.Exit(99)
		}
		bufio.NewReader(os.Stdin).ReadString('\n')
		os.Exit(3)
	case "hold":
		os.Stdout.WriteString("hold\n")
		select {}
	case "chatter": // writes for ever
		for range time.Tick(time.Millisecond) {
			if _, err := os.Stdout.WriteString("chatter\n"); err != nil {
				return
			}
		}
	default:
		os.Exit(98)
	}
}
