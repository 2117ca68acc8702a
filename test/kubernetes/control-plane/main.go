// Runs one component of Kubernetes: controlplane etcd|apiserver|controller-manager|scheduler|kubelet [flags].
// The component ends as soon as its standard input closes, so that it never outlives the process that started it.
package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	commands := map[string]func() *cobra.Command{
		"etcd":               etcdCommand,
		"apiserver":          apiserver.NewAPIServerCommand,
		"controller-manager": controllers.NewControllerManagerCommand,
		"scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
		"kubelet":            func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: controlplane etcd|apiserver|controller-manager|scheduler|kubelet [flags]")
		os.Exit(2)
	}
	name := os.Args[1]
	os.Args = append(os.Args[:1], os.Args[2:]...)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	os.Exit(cli.Run(commands[name]()))
}

// etcdCommand runs etcd with its data in a temporary folder. The data is not kept, so etcd does not wait for the disk.
func etcdCommand() *cobra.Command {
	var folder, client, peer string
	command := &cobra.Command{Use: "etcd", RunE: func(*cobra.Command, []string) error {
		clientURL, err := url.Parse(client)
		if err != nil {
			return err
		}
		peerURL, err := url.Parse(peer)
		if err != nil {
			return err
		}
		config := embed.NewConfig()
		config.Dir = folder
		config.UnsafeNoFsync = true
		config.LogLevel = "warn"
		config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*clientURL}, []url.URL{*clientURL}
		config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*peerURL}, []url.URL{*peerURL}
		config.InitialCluster = config.Name + "=" + peer
		server, err := embed.StartEtcd(config)
		if err != nil {
			return err
		}
		return <-server.Err()
	}}
	command.Flags().StringVar(&folder, "data-dir", "", "")
	command.Flags().StringVar(&client, "client-url", "", "")
	command.Flags().StringVar(&peer, "peer-url", "", "")
	return command
}
