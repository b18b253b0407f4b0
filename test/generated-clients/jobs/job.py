"""The main job with the generated Python client: stores a trace, evaluates it, prints the value of its score."""

import os
import time
from datetime import datetime, timezone

import openapi_client as client

now = datetime.now(timezone.utc).isoformat()
settings = client.Configuration(
    host=os.environ["ASSAY_URL"], api_key={"apiKey": os.environ["ASSAY_KEY"], "projectName": "default"}
)
with client.ApiClient(settings) as assay:
    span = client.SpanInput(
        name="lookup_order", kind="TOOL", started_at=now, input={"order": 1042}, output="shipped"
    )
    trace = client.TraceInput(
        name="support-agent",
        started_at=now,
        ended_at=now,
        input="Where is my order 1042?",
        output="It arrives tomorrow.",
        spans=[span],
    )
    receipt = client.TracesApi(assay).create_trace(trace)

    runs = client.RunsApi(assay)
    run = runs.create_trace_batch_run(
        client.BatchEvalRunInput(trace_ids=[receipt.trace_id], metrics=["tool_correctness"])
    )
    while run.status in ("PENDING", "RUNNING"):
        time.sleep(0.2)
        run = runs.get_trace_run(run.id)
    score = client.ScoresApi(assay).get_trace_scores(receipt.trace_id)[0]
    print(score.name, score.value)
