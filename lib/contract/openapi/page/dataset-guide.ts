import { maxItemBytes, maxItems } from "../../../domain/datasets/dataset.ts";
import { keyHeaders } from "./curl.ts";
import { codeBlock, html, prose, type Html } from "./html.ts";

/** Returns the command that sends data of a content type. @param data option of curl. */
const post = (path: string, data: string, type = "application/json"): string =>
  `curl -s "$ASSAY${path}" ${keyHeaders} \\\n  -H 'Content-Type: ${type}' ${data}`;

const items = "/datasets/$DATASET/items";

const create = `DATASET=$(${post("/datasets", `-d '{"name": "refunds"}'`)} | jq -r .id)`;

const sent = [
  { id: "order-1042", input: { question: "Where is order 1042?" }, expected_output: "It was sent on Monday." },
];
const sources = [{ source: { trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01" } }];

const table = `id,input,expected_output,metadata.team
order-1042,"{""question"": ""Where is order 1042?""}",It was sent on Monday.,support`;

const outputItems = `curl -s "https://api.openai.com/v1/evals/$EVAL/runs/$RUN/output_items?limit=100" \\
  -H "Authorization: Bearer $OPENAI_API_KEY" | jq -c '.data[]' > output_items.jsonl
${post(items, "--data-binary @output_items.jsonl", "application/x-ndjson")}`;

const promptfoo = `npx -y js-yaml@4 promptfooconfig.yaml > config.json
jq '{promptfoo: .}' config.json | ${post(items, "-d @-")}
jq '{metric: ., name: "assertions"}' config.json | ${post("/evaluations/metrics/import", "-d @-")}`;

/** Id of the guide's section. */
export const datasetGuideId = "dataset-items";

/** Section about the ways of items into a dataset and out of it. */
export const datasetGuide: Html = html` <section id="${datasetGuideId}">
  <h2>Fill and export datasets</h2>
  <p>
    ${prose("A dataset has items with an `input`, an `expected_output` and `metadata`. The calls need the variables of the")}
    <a href="#start">quick start</a> and <code>jq</code>.
  </p>
  ${codeBlock(create)}
  <h3>JSON</h3>
  ${codeBlock(post(items, `-d '${JSON.stringify({ items: sent })}'`))}
  <p>
    ${prose(
      `A body has at most 4 MiB, an item ${maxItemBytes / 1024} KB, a dataset ${maxItems} items. An item that is sent again with its \`id\` is a new revision, ` +
        "or changes nothing if it is equal: after an error send the request again. A request with an error in any item stores none.",
    )}
  </p>
  <h3>NDJSON</h3>
  <p>An item on each line; errors name the line.</p>
  ${codeBlock(post(items, "--data-binary @items.jsonl", "application/x-ndjson"))}
  <h3>CSV</h3>
  <p>
    ${prose(
      "A header row with some of the columns `id`, `input`, `expected_output`, `metadata`, `source`, and `metadata.<key>` for single keys; commas, quotation marks by RFC 4180, UTF-8. " +
        'A cell that is JSON is that value, so that `42` is a number and `"42"` a text; any other cell is a text, and an empty one is absent. An `id` is always a text.',
    )}
  </p>
  ${codeBlock(table)} ${codeBlock(post(items, "--data-binary @items.csv", "text/csv"))}
  <h3>From traces</h3>
  <p>
    ${prose(
      "Input and output of a trace, or of one of its spans (`span_id`), become what the item lacks of `input` and `expected_output`. An item that has both keeps its source without a look at it.",
    )}
  </p>
  ${codeBlock(post(items, `-d '${JSON.stringify({ items: sources })}'`))}
  <h3>Export</h3>
  <p>
    ${prose(
      "`Accept` chooses NDJSON or CSV, and what is exported can be sent again: the items are equal. A page has up to 5 MB; the header `Link` leads to the next one.",
    )}
  </p>
  ${codeBlock(`curl -s "$ASSAY${items}" ${keyHeaders} -H 'Accept: text/csv' > items.csv`)}
  <h3>OpenAI's Evals</h3>
  <p>
    ${prose(
      "Each output item of a run becomes an item: the reference answer of its `datasource_item` (`ground_truth`, `reference`, `ideal`, `correct_label`, `expected_output` and the like) is the expected output, the other fields are the input, " +
        "and results and sample are metadata. A page of their API has 100 output items; `after` leads on.",
    )}
  </p>
  ${codeBlock(outputItems)}
  <h3>promptfoo</h3>
  <p>
    ${prose(
      "Each test becomes an item, as do scenarios and each combination of listed variables: `vars` are the input, the value of an assertion such as `equals` or `contains` is the expected output, and all assertions are metadata. " +
        "An item's `id` follows from its input and expected output: a configuration that is sent again changes nothing, and a test that asks something else is another item. " +
        "A test that needs a file, a `$ref`, a template in `vars`, or elsewhere one with more than names is refused with its place. The second call makes a metric of the assertions of `defaultTest`; send one assertion as `metric` for another metric.",
    )}
  </p>
  ${codeBlock(promptfoo)}
</section>`;
