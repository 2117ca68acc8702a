// Runs KEDA's own scalers: one poll for each line of standard input, which is a trigger as JSON. Prints what KEDA would see, as a line of JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"

	"dayfly.dev/bench/keda/scalers"
)

type trigger struct {
	Type       string
	Metadata   map[string]string
	AuthParams map[string]string
}

type seen struct {
	Jobs  int64  `json:"jobs"`
	Error string `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		jobs, err := poll(lines.Bytes())
		answer := seen{Jobs: jobs}
		if err != nil {
			answer.Error = err.Error()
		}
		text, _ := json.Marshal(answer)
		fmt.Println(string(text))
	}
}

func poll(line []byte) (int64, error) {
	var asked trigger
	if err := json.Unmarshal(line, &asked); err != nil {
		return 0, err
	}
	create := scalers.NewGitHubRunnerScaler
	if asked.Type == "forgejo-runner" {
		create = scalers.NewForgejoRunnerScaler
	}
	scaler, err := create(&scalersconfig.ScalerConfig{
		GlobalHTTPTimeout: 30 * time.Second,
		TriggerType:       asked.Type,
		TriggerMetadata:   asked.Metadata,
		AuthParams:        asked.AuthParams,
	})
	if err != nil {
		return 0, err
	}
	ctx := context.Background()
	defer scaler.Close(ctx)
	metrics, _, err := scaler.GetMetricsAndActivity(ctx, "jobs")
	if err != nil {
		return 0, err
	}
	return metrics[0].Value.Value(), nil
}
