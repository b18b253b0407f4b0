// The main job with the generated Go client: stores a trace, evaluates it, prints the value of its score.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	client "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	settings := client.NewConfiguration()
	settings.Servers = client.ServerConfigurations{{URL: os.Getenv("ASSAY_URL")}}
	assay := client.NewAPIClient(settings)
	keys := map[string]client.APIKey{"apiKey": {Key: os.Getenv("ASSAY_KEY")}, "projectName": {Key: "default"}}
	caller := context.WithValue(context.Background(), client.ContextAPIKeys, keys)

	now := time.Now().UTC().Format(time.RFC3339)
	span := client.NewSpanInput("lookup_order", now)
	span.SetKind("TOOL")
	span.SetInput(map[string]int{"order": 1042})
	span.SetOutput("shipped")
	trace := client.NewTraceInput("support-agent", now)
	trace.SetEndedAt(now)
	trace.SetInput("Where is my order 1042?")
	trace.SetOutput("It arrives tomorrow.")
	trace.SetSpans([]client.SpanInput{*span})
	receipt, _, err := assay.TracesAPI.CreateTrace(caller).TraceInput(*trace).Execute()
	check(err)

	selection := client.NewBatchEvalRunInput([]string{receipt.TraceId}, []string{"tool_correctness"})
	run, _, err := assay.RunsAPI.CreateTraceBatchRun(caller).BatchEvalRunInput(*selection).Execute()
	check(err)
	for run.Status == "PENDING" || run.Status == "RUNNING" {
		time.Sleep(200 * time.Millisecond)
		run, _, err = assay.RunsAPI.GetTraceRun(caller, run.Id).Execute()
		check(err)
	}
	scores, _, err := assay.ScoresAPI.GetTraceScores(caller, receipt.TraceId).Execute()
	check(err)
	fmt.Println(scores[0].Name, *scores[0].Value.Get())
}
