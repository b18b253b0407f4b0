import * as v from "valibot";
import { uuidPattern } from "../../domain/text.ts";
import { cursor, withDescription, experimentId, word } from "../inputs.ts";
import { pageOfText } from "../text-pages.ts";
import { type Service, tool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";

/** Returns the id of an experiment that is named by its id or by its name: of several the newest. @throws ToolError if there is none. */
const experimentIdOf = async ({ client }: Service, text: string): Promise<string> => {
  if (uuidPattern.test(text)) return text;
  const { items } = await client.listExperiments({ query: { name: text, limit: 1 } });
  const [newest] = items;
  if (newest === undefined)
    throw new ToolError(`There is no experiment with the id or the name ${JSON.stringify(text)}.`);
  return newest.id;
};

const share = v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1_000)));

export const compare = tool(
  {
    name: "compare",
    description:
      "Compares two experiments item by item: per metric the mean difference with its interval, a verdict (worse, not_worse, cannot_tell) " +
      "and the items that lost and won most; cost and latency.",
    permission: "read",
    input: v.strictObject({
      candidate: experimentId,
      baseline: experimentId,
      metric: withDescription(v.optional(word), "The only metric to compare."),
      max_drop: withDescription(share, "Drop of the mean that counts as no worse; 0.05 if absent."),
      cursor,
    }),
  },
  async ({ candidate: candidateText, baseline: baselineText, metric, max_drop, cursor: start }, service) => {
    const { client, url } = service;
    const [candidate, baseline] = [
      await experimentIdOf(service, candidateText),
      await experimentIdOf(service, baselineText),
    ];
    const query = { baseline, metric_name: metric, max_drop };
    const comparison = await client.compareExperiments({ path: { experiment_id: candidate }, query });
    const page = pageOfText(JSON.stringify(comparison, null, 1), start);
    const link = `${url}/console#/experiments/${encodeURIComponent(candidate)}`;
    return { note: `Verdict: ${comparison.verdict}.`, data: page.text, cursor: page.cursor, link };
  },
);

export const gate = tool(
  {
    name: "gate",
    description:
      "Tells whether an experiment may be released, by rules on its scores, cost and latency. Stores nothing. pass, fail, cannot_tell " +
      "(too few items: more_items says how many are missing) or running (scores are still to come).",
    permission: "read",
    input: v.strictObject({
      candidate: experimentId,
      baseline: withDescription(
        v.optional(word),
        "Id or name of the experiment to compare with, or `approved`: the dataset's approved one.",
      ),
      rules: v.pipe(
        v.array(
          v.strictObject({
            metric: v.optional(word),
            max_drop: withDescription(share, "Largest drop of the mean against the baseline."),
            min_mean: withDescription(v.optional(v.number()), "Smallest mean of the candidate."),
            min_rate: withDescription(share, "Smallest share of passed scores of the candidate, 0 to 1."),
            max_cost_increase: withDescription(share, "Without metric: 0.1 is 10 % more."),
            max_latency_increase: share,
            watch: withDescription(v.optional(v.boolean()), "True for a rule that is shown and does not decide."),
          }),
        ),
        v.minLength(1),
        v.maxLength(20),
      ),
      cursor,
    }),
  },
  async ({ cursor: start, candidate: candidateText, baseline: baselineText, rules }, service) => {
    const { client, url } = service;
    const candidate = await experimentIdOf(service, candidateText);
    const isNamed = baselineText !== undefined && baselineText !== "approved";
    const baseline = isNamed ? await experimentIdOf(service, baselineText) : baselineText;
    const { status, exit_code: code, ...rest } = await client.evaluateGate({ body: { candidate, baseline, rules } });
    const page = pageOfText(JSON.stringify(rest, null, 1), start);
    const link = `${url}/console#/experiments/${encodeURIComponent(candidate)}`;
    return { note: `The gate says ${status} (exit code ${code}).`, data: page.text, cursor: page.cursor, link };
  },
);
