// Drives the GitHub emulator with the public Go client of the scale-set API, like an autoscaler:
// scale set, session, messages, JIT configuration, runner lookup and removal, deletion.
// Prints a line for each successful check. The first failed check ends it with exit code 1 and a sentence.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/actions/scaleset"
)

type emulator struct{ origin, mode string }

func main() {
	if len(os.Args) != 3 && len(os.Args) != 5 {
		fail("usage: scaleset ORIGIN hosted|legacy [APP-ID PRIVATE-KEY-FILE]")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	e := emulator{origin: os.Args[1], mode: os.Args[2]}
	client := newClient(e.origin)
	id := scaleSet(ctx, client)
	session, err := client.MessageSessionClient(ctx, id, "dayfly-test")
	check(err, "session is created")
	expect(session.Session().Statistics.TotalAssignedJobs == 0, "first statistics are empty")
	_, err = client.MessageSessionClient(ctx, id, "somebody-else")
	expect(err != nil, "a second session is refused")
	runners(ctx, client, id)
	jobs(ctx, e, client, session, id)
	check(session.Close(ctx), "session is deleted")
	check(client.DeleteRunnerScaleSet(ctx, id), "scale set is deleted")
	_, err = client.GetRunnerScaleSetByID(ctx, id)
	expect(err != nil, "scale set is gone")
}

// newClient signs in with a token, or with an App whose id and key the arguments name. The App's installation has ten times its id.
func newClient(origin string) *scaleset.Client {
	info := scaleset.SystemInfo{System: "dayfly-test", Version: "1.0.0"}
	if len(os.Args) == 3 {
		client, err := scaleset.NewClientWithPersonalAccessToken(scaleset.NewClientWithPersonalAccessTokenConfig{
			GitHubConfigURL:     origin + "/my-org",
			PersonalAccessToken: "pat",
			SystemInfo:          info,
		}, scaleset.WithRetryMax(1))
		check(err, "client")
		return client
	}
	key, err := os.ReadFile(os.Args[4])
	check(err, "private key is read")
	id, err := strconv.ParseInt(os.Args[3], 10, 64)
	check(err, "App id is a number")
	client, err := scaleset.NewClientWithGitHubApp(scaleset.ClientWithGitHubAppConfig{
		GitHubConfigURL: origin + "/my-org",
		GitHubAppAuth:   scaleset.GitHubAppAuth{ClientID: os.Args[3], InstallationID: id * 10, PrivateKey: string(key)},
		SystemInfo:      info,
	}, scaleset.WithRetryMax(1))
	check(err, "client of an App")
	return client
}

// scaleSet creates, finds and updates a scale set.
func scaleSet(ctx context.Context, client *scaleset.Client) int {
	group, err := client.GetRunnerGroupByName(ctx, scaleset.DefaultRunnerGroup)
	check(err, "runner group is found")
	none, err := client.GetRunnerScaleSet(ctx, group.ID, "linux")
	check(err, "lookup of nothing")
	expect(none == nil, "no scale set yet")
	created, err := client.CreateRunnerScaleSet(ctx, &scaleset.RunnerScaleSet{
		Name:          "linux",
		RunnerGroupID: group.ID,
		RunnerSetting: scaleset.RunnerSetting{DisableUpdate: true},
	})
	check(err, "scale set is created")
	expect(created.RunnerSetting.DisableUpdate && created.Labels[0].Name == "linux", "it has the requested settings")
	_, err = client.CreateRunnerScaleSet(ctx, &scaleset.RunnerScaleSet{Name: "linux", RunnerGroupID: group.ID})
	expect(err != nil, "its name is taken")
	found, err := client.GetRunnerScaleSet(ctx, group.ID, "linux")
	check(err, "scale set is found by name")
	expect(found.ID == created.ID, "it is the same")
	_, err = client.UpdateRunnerScaleSet(ctx, created.ID, &scaleset.RunnerScaleSet{
		RunnerSetting: scaleset.RunnerSetting{DisableUpdate: true},
	})
	check(err, "scale set is updated")
	again, err := client.GetRunnerScaleSetByID(ctx, created.ID)
	check(err, "scale set is found by id")
	expect(again.Name == "linux" && again.RunnerGroupID == group.ID, "name and group survive an update")
	return created.ID
}

// runners registers, finds and removes a runner that never starts.
func runners(ctx context.Context, client *scaleset.Client, id int) {
	setting := &scaleset.RunnerScaleSetJitRunnerSetting{Name: "idle-1", WorkFolder: "_work"}
	config, err := client.GenerateJitRunnerConfig(ctx, setting, id)
	check(err, "JIT configuration is made")
	expect(config.EncodedJITConfig != "" && config.Runner.RunnerScaleSetID == id, "it is for the set")
	_, err = client.GenerateJitRunnerConfig(ctx, setting, id)
	expect(errors.Is(err, scaleset.RunnerExistsError), "a runner's name is taken")
	found, err := client.GetRunnerByName(ctx, "idle-1")
	check(err, "runner is found by name")
	expect(found.ID == config.Runner.ID, "it is the same runner")
	_, err = client.GetRunner(ctx, found.ID)
	check(err, "runner is found by id")
	check(client.RemoveRunner(ctx, int64(found.ID)), "runner is removed")
	none, err := client.GetRunnerByName(ctx, "idle-1")
	check(err, "lookup of a removed runner")
	expect(none == nil, "no runner is left")
	_, err = client.GetRunner(ctx, found.ID)
	expect(errors.Is(err, scaleset.RunnerNotFoundError), "its id is not found")
}

// jobs follows one job from its queue to its completion.
func jobs(ctx context.Context, e emulator, client *scaleset.Client, session *scaleset.MessageSessionClient, id int) {
	none, err := session.GetMessage(ctx, 0, 10)
	check(err, "poll without a message")
	expect(none == nil, "there is no message")
	e.post(ctx, "/_emulator/jobs", map[string]any{"labels": []string{"linux"}})
	message, err := session.GetMessage(ctx, 0, 10)
	check(err, "first message")
	if e.mode == "legacy" {
		expect(len(message.JobAvailableMessages) == 1, "a job is offered")
		granted, err := session.AcquireJobs(ctx, []int64{message.JobAvailableMessages[0].RunnerRequestID, 999})
		check(err, "acquire")
		expect(len(granted) == 1, "only the offered job is granted")
		check(session.DeleteMessage(ctx, message.MessageID), "offer is acknowledged")
		message, err = session.GetMessage(ctx, message.MessageID, 10)
		check(err, "second message")
	}
	expect(len(message.JobAssignedMessages) == 1 && message.Statistics.TotalAssignedJobs == 1, "a job is assigned")
	redelivered, err := session.GetMessage(ctx, 0, 10)
	check(err, "poll without acknowledgement")
	expect(redelivered.MessageID == message.MessageID, "the message is redelivered")
	check(session.DeleteMessage(ctx, message.MessageID), "message is acknowledged")

	config, err := client.GenerateJitRunnerConfig(ctx, &scaleset.RunnerScaleSetJitRunnerSetting{Name: "busy-1"}, id)
	check(err, "JIT configuration for the job")
	e.post(ctx, "/_emulator/runners/busy-1/online", nil)
	err = client.RemoveRunner(ctx, int64(config.Runner.ID))
	expect(errors.Is(err, scaleset.JobStillRunningError), "a runner with a job is not removed")
	e.post(ctx, "/_emulator/runners/busy-1/start", nil)
	started, err := session.GetMessage(ctx, message.MessageID, 10)
	check(err, "message of the start")
	expect(len(started.JobStartedMessages) == 1 && started.JobStartedMessages[0].RunnerName == "busy-1", "the job started")
	check(session.DeleteMessage(ctx, started.MessageID), "start is acknowledged")
	e.post(ctx, "/_emulator/runners/busy-1/finish", map[string]any{"result": "succeeded"})
	completed, err := session.GetMessage(ctx, started.MessageID, 10)
	check(err, "message of the end")
	expect(len(completed.JobCompletedMessages) == 1 && completed.JobCompletedMessages[0].Result == "succeeded", "the job completed")
	expect(completed.Statistics.TotalAssignedJobs == 0 && completed.Statistics.TotalRegisteredRunners == 0, "nothing is left")
	check(session.DeleteMessage(ctx, completed.MessageID), "end is acknowledged")
}

// post calls the emulator's control API.
func (e emulator) post(ctx context.Context, path string, body any) {
	data, err := json.Marshal(body)
	check(err, "body for "+path)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.origin+path, bytes.NewReader(data))
	check(err, "request for "+path)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	check(err, "POST "+path)
	defer response.Body.Close()
	expect(response.StatusCode < 300, fmt.Sprintf("POST %s is answered with %d", path, response.StatusCode))
}

func check(err error, what string) {
	if err != nil {
		fail(fmt.Sprintf("%s: %v", what, err))
	}
	fmt.Println("ok", what)
}

func expect(holds bool, what string) {
	if !holds {
		fail("check failed: " + what)
	}
	fmt.Println("ok", what)
}

func fail(sentence string) {
	fmt.Println("not ok", sentence)
	os.Exit(1)
}
