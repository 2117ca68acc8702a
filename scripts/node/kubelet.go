// Runs the kubelet. The process ends as soon as its standard input closes.
package main

import (
	"context"
	"io"
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	os.Exit(cli.Run(app.NewKubeletCommand(context.Background())))
}
