import { keyHeaders, shellWord } from "./curl.ts";
import { codeBlock, html, prose, type Html } from "./html.ts";
import { table } from "./text.ts";

/** Topic of the guide's page, and id of its section. */
export const experimentGuideId = "experiments-and-gates";

const attributes: readonly (readonly [attribute: string, meaning: string])[] = [
  ["`assay.experiment`", "name of the experiment, such as that of a commit; on any span of the trace"],
  [
    "`assay.experiment.item`",
    "id of the item that the trace ran: that of the dataset, or any text that both experiments use",
  ],
  [
    "`assay.dataset`",
    "id or name of the dataset, if it is stored here: missing items are known then, and `approved` works",
  ],
  [
    "`langfuse.experiment.id`, `.name`, `.item.id`, `.dataset.id`",
    "set by Langfuse's SDKs; the id names the experiment, whatever its name is",
  ],
];

const span = `{"resourceSpans": [{"scopeSpans": [{"spans": [{
  "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "name": "answer",
  "startTimeUnixNano": "1795000000000000000", "endTimeUnixNano": "1795000001000000000",
  "attributes": [
    {"key": "assay.experiment", "value": {"stringValue": "commit-4f2a"}},
    {"key": "assay.experiment.item", "value": {"stringValue": "order-1042"}},
    {"key": "assay.dataset", "value": {"stringValue": "refunds"}},
    {"key": "input.value", "value": {"stringValue": "Where is order 1042?"}},
    {"key": "output.value", "value": {"stringValue": "It was sent on Monday."}}
  ]}]}]}]}`;

const python = `with tracer.start_as_current_span("answer") as span:
    span.set_attribute("assay.experiment", os.environ["EXPERIMENT"])
    span.set_attribute("assay.experiment.item", item["id"])
    span.set_attribute("assay.dataset", "refunds")
    answer(item["input"])`;

const go = `ctx, span := tracer.Start(ctx, "answer", trace.WithAttributes(
    attribute.String("assay.experiment", os.Getenv("EXPERIMENT")),
    attribute.String("assay.experiment.item", item.ID),
    attribute.String("assay.dataset", "refunds")))
defer span.End()`;

/**
 * Shell program of the guide. It needs the variables `ASSAY`, `KEY`, `PROJECT` and `EXPERIMENT`, and the programs curl and jq; it writes
 * `gate.json` and `gate.md` and ends with the gate's exit code, 0, 1 or 3, or with 2 if a request is refused, and why in `gate.md`.
 */
export const gateScript = `#!/bin/sh
set -eu
call() {
  rm -f reply.json
  curl -sS --fail-with-body --retry 3 -o reply.json -H "X-API-Key: $KEY" \\
    -H "X-Project-Name: $PROJECT" -H 'Content-Type: application/json' "$@" && return
  reason=$(jq -r '(.detail[0].msg)? // .detail' reply.json || echo "no reply")
  echo "The gate was not evaluated: $reason" | tee gate.md >&2
  exit 2
}

# Traces are listed some seconds after they were sent: wait until their number stays.
id=null
before=0
for try in $(seq 60); do
  sleep 4
  call -G "$ASSAY/experiments" -d limit=1 --data-urlencode "name=$EXPERIMENT"
  id=$(jq -r '.items[0].id' reply.json)
  [ "$id" != null ] || continue
  call "$ASSAY/experiments/$id"
  count=$(jq .trace_count reply.json)
  [ "$count" != "$before" ] || break
  before=$count
done

# The judge; leave it out if your program scores its own traces.
call "$ASSAY/experiments/$id/runs" -d '{"metrics": ["task_completion"], "max_cost_usd": 5}'

cat > request.json <<END
{"candidate": "$id", "baseline": "approved", "wait": 20,
 "rules": [{"metric": "task_completion", "max_drop": 0.05},
           {"max_cost_increase": 0.2, "watch": true}]}
END
for try in $(seq 60); do
  call "$ASSAY/evaluations/gates" -d @request.json
  mv reply.json gate.json
  [ "$(jq -r .status gate.json)" = running ] || break
  sleep 2
done
call "$ASSAY/evaluations/gates" -H 'Accept: text/markdown' -d @request.json
mv reply.json gate.md
exit "$(jq -r .exit_code gate.json)"
`;

const workflow = (serviceUrl: string): string => `on: pull_request
jobs:
  gate:
    runs-on: ubuntu-latest
    permissions: { contents: read, pull-requests: write }
    env:
      ASSAY: ${serviceUrl}
      KEY: \${{ secrets.ASSAY_KEY }}
      PROJECT: default
      EXPERIMENT: commit-\${{ github.sha }}
    steps:
      - uses: actions/checkout@v5
      - run: python experiment.py # sends a trace for each item
      - run: sh gate.sh
      - if: always()
        run: gh pr comment \${{ github.event.number }} --body-file gate.md
        env: { GH_TOKEN: "\${{ github.token }}" }`;

const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "`pass`: the whole interval of each deciding rule lies on its good side"],
  ["1", "`fail`: that of a deciding rule lies on its bad side, all rules together (Holm)"],
  ["2", "a request was refused, as where no experiment is approved yet: `gate.md` says why"],
  ["3", "`cannot_tell`: the items are too few, or more than 10 % of them lack a trace or a score; or still `running`"],
];

const approve = `curl -sS -X PUT "$ASSAY/datasets/$DATASET/approved" ${keyHeaders} \\
  -H 'Content-Type: application/json' -d '{"experiment_id": "'$EXPERIMENT_ID'"}'`;

/** Returns the section about experiments from any language, and gates in continuous integration. */
export const experimentGuide = (serviceUrl: string): Html =>
  html` <section id="${experimentGuideId}">
    <h2>Run experiments and gate releases</h2>
    <p>
      ${prose(
        "An experiment is the traces of one release of an agent over the items of a dataset. There is no runner to install: a program of yours runs the " +
          "items, and its spans say so by attributes. Any SDK of OpenTelemetry sets them, and so do Langfuse's `runExperiment` and `run_experiment`.",
      )}
    </p>
    ${table(["Attribute", "Meaning"], attributes)}
    <h3>Python</h3>
    ${codeBlock(python)}
    <h3>Go</h3>
    ${codeBlock(go)}
    <h3>Any language, over HTTP</h3>
    ${codeBlock(`curl -sS ${shellWord(`${serviceUrl}/v1/traces`)} ${keyHeaders} \\
  -H 'Content-Type: application/json' -d '${span}'`)}
    <p>
      ${prose(
        "An item that several traces name has repeats: they count once, with their mean. Without an id of its own an experiment is known by its name and " +
          "dataset: a second run under one name continues it until 24 hours after its last trace (`continued_at` says so), and begins another one later.",
      )}
      <a href="#listExperiments"><code>GET /experiments</code></a
      >,
      <a href="#compareExperiments"><code>GET /experiments/{experiment_id}/compare</code></a>
    </p>
    <h3>A gate in a pull request</h3>
    <p>
      ${prose("The program needs `curl` and `jq`. Its comment has the rules, the numbers and the items that lost, with both traces:")}
      <a href="#evaluateGate"><code>POST /evaluations/gates</code></a>
    </p>
    ${codeBlock(gateScript)} ${codeBlock(workflow(serviceUrl))} ${table(["Exit code", "Meaning"], exitCodes)}
    <p>
      ${prose(
        "`on_cannot_tell` makes 3 a 0 or a 1. `cannot_tell` says how many more items a rule needs: with yes/no scores of which 10 % flip by chance a drop " +
          "of 5 points is excluded by 200 items in 59 of 100 cases, by 1,000 always.",
      )}
    </p>
    <h3>The approved experiment</h3>
    <p>
      ${prose("`approved` is the experiment that was named last for the dataset, as after a release. One with a metric that is worse is refused, unless `force` is true:")}
      <a href="#approveExperiment"><code>PUT /datasets/{dataset_id}/approved</code></a>
    </p>
    ${codeBlock(approve)}
  </section>`;
