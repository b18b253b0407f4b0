import { labelLeaseMilliseconds, maxLabelItems, minLabelItems } from "../../../domain/labels/label-set.ts";
import { keyHeaders } from "./curl.ts";
import { codeBlock, html, prose, type Html } from "./html.ts";
import { table } from "./text.ts";

const call = (method: string, path: string, body?: object): string =>
  `curl -s -X ${method} "$ASSAY/evaluations/label-sets${path}" ${keyHeaders}` +
  (body === undefined ? "" : ` \\\n  -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`);

const metric = "task_completion";

const create = `SET=$(${call("POST", "", { name: "refunds", metrics: [{ name: metric }], size: 100 })} | jq -r .id)`;

const label = `ITEM=$(${call("POST", "/$SET/next")} | tee next.json | jq -r .item.id)
jq .trace.output next.json
${call("PUT", "/$SET/items/$ITEM", { labels: { [metric]: 1 }, note: "The refund was made." })}`;

const upload = `item_id,labeller,labels.${metric},note
4f0c2e6a-8b1d-8e3f-9a57-000000000000,Ada,1.0,The refund was made.
4f0c2e6a-8b1d-8e3f-9a57-000000000001,Ada,cannot_tell,`;

const send = `curl -s "$ASSAY/evaluations/label-sets/$SET/labels" ${keyHeaders} \\
  -H 'Content-Type: text/csv' --data-binary @labels.csv`;

const uses: readonly (readonly [use: string, needs: string])[] = [
  ["`gate`", "100 labels, 20 that pass and 20 that fail, and a lower end of kappa of at least 0.6"],
  ["`trend`", "a lower end of sensitivity and specificity less 1 above 0.3"],
  ["`exploration`", "a lower end above 0"],
  ["`unknown`", "less: the judge may be no better than chance"],
];

/** Id of the guide's section. */
export const labelGuideId = "label-traces";

/** Section about labelling traces, and about what labels say of a judge. */
export const labelGuide: Html = html` <section id="${labelGuideId}">
  <h2>Label traces and measure a judge</h2>
  <p>
    ${prose(`A label set is a queue of ${minLabelItems} to ${maxLabelItems} traces for people, and a test of the judge. The calls need the variables of the`)}
    <a href="#start">quick start</a> and <code>jq</code>.
  </p>
  <h3>Make a set</h3>
  ${codeBlock(create)}
  <p>
    ${prose(
      "Metrics have their own scales; another name of scores needs one, such as " +
        '`{"name": "helpful", "scale": {"data_type": "BOOLEAN"}}`. The set keeps the versions of its traces: one that changes is stale, and its labels make no score.',
    )}
  </p>
  <h3>Label</h3>
  ${codeBlock(label)}
  <p>
    ${prose(
      `An item is the caller's for ${labelLeaseMilliseconds / 60_000} minutes. \`{"cannot_tell": true}\` in place of a value is a label, too. A key with the access \`label\`, or a member with the role ` +
        "LABELLER, can do this and nothing else, and so sees no verdict.",
    )}
  </p>
  <h3>Upload and export</h3>
  <p>
    ${prose("Labels of people without an account name their labeller, and stay apart from those of signed-in people.")}
  </p>
  ${codeBlock(upload)} ${codeBlock(send)}
  ${codeBlock(`curl -s "$ASSAY/evaluations/label-sets/$SET/items?limit=${maxLabelItems}" ${keyHeaders} -H 'Accept: text/csv' > labels.csv`)}
  <h3>Measure the judge</h3>
  ${codeBlock(call("POST", "/$SET/trust", { metric }))}
  <p>
    ${prose(
      "The newest verdict of the judge on the same content is compared with what most people say. `fit_for` says what the judge is good for; what follows corrects " +
        "pass rates (`corrected=true`) if the set was drawn at random from what filters select, none of them about scores. Figures of one judge are corrected by the largest such set about it:",
    )}
  </p>
  ${table(["fit_for", "needs"], uses)}
  <h3>Close the set</h3>
  ${codeBlock(call("POST", "/$SET/close"))}
  <p>
    ${prose(
      "Labels become scores of the source ANNOTATION, which outrank the judge's on the same content; of several people's one counts. Until then they are in no list " +
        "and no figure. The judge's verdicts on labelled traces then leave `judge_rate`: a set that covers most traces takes the corrected rate with it.",
    )}
  </p>
</section>`;
