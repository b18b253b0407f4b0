import type { GateReply } from "../../contract/experiments/gates.ts";

type Outcome = GateReply["outcomes"][number];
type Regression = Outcome["regressions"][number];

const titles = {
  pass: "The gate passed",
  fail: "The gate failed",
  cannot_tell: "The gate cannot tell",
  running: "The gate still waits for traces or scores",
} as const;

const verdictWords = { pass: "pass", fail: "**fail**", cannot_tell: "cannot tell" } as const;

const reasonWords = {
  too_few: "fewer than ten items can be compared, or all are equal",
  too_many_missing: "more than 10 % of the items lack a trace, a score or an answer, or have too many traces",
  no_scores: "no item has a score of this metric",
  no_threshold: "the scores have no threshold, so that none passes or fails: use min_mean",
} as const;

/** Texts of users as code: nothing in them is markup, a mention or a cell's end. */
const code = (text: string): string => `\`${text.replaceAll(/[`|\s]+/gu, " ").trim()}\``;

const number = (value: number | null | undefined): string =>
  value == null ? "–" : String(Number(value.toPrecision(4)));

const percent = (share: unknown): string => `${number(Number(share) * 100)} %`;

const ruleText = ({ rule }: Outcome): string => {
  const metric = code(String(rule["metric"] ?? ""));
  if (rule["max_drop"] !== undefined) return `${metric}: drop of at most ${String(rule["max_drop"])}`;
  if (rule["min_mean"] !== undefined) return `${metric}: mean of at least ${String(rule["min_mean"])}`;
  if (rule["min_rate"] !== undefined) return `${metric}: ${percent(rule["min_rate"])} passed or more`;
  if (rule["max_cost_increase"] !== undefined) return `cost: increase of at most ${percent(rule["max_cost_increase"])}`;
  return `latency: increase of at most ${percent(rule["max_latency_increase"])}`;
};

const intervalText = ({ mean, interval }: Outcome): string =>
  interval === null ? number(mean) : `${number(mean)} (${number(interval.lower)} to ${number(interval.upper)})`;

const row = (outcome: Outcome): string => {
  const { rule, verdict, items, baseline_mean: before, candidate_mean: after } = outcome;
  const watched = rule["watch"] === true ? " (watched)" : "";
  const cells = [ruleText(outcome) + watched, number(before), number(after), intervalText(outcome)];
  return `| ${[...cells, items.compared, verdictWords[verdict]].join(" | ")} |`;
};

/** Words about the pass rates of a metric without the errors of its judge. */
const correctedText = ({ corrected }: Outcome): readonly string[] =>
  Object.entries(corrected ?? {}).flatMap(([side, rate]) =>
    rate?.rate == null
      ? []
      : `corrected pass rate of the ${side} ${percent(rate.rate)} (${percent(rate.lower)} to ${percent(rate.upper)}, ${rate.n_labels} labels)`,
  );

/** Words about items that were not compared, or not as meant. */
const itemNotes: readonly (readonly [keyof Outcome["items"], string])[] = [
  ["missing", "without a trace"],
  ["unjudged", "without a score"],
  ["duplicated", "with too many traces"],
  ["inapplicable", "to which it does not apply"],
  ["lapsed", "of them to which it applied before, or without an output"],
  ["retired", "that the dataset no longer has"],
];

/** Says of filtered traces how many decide. Monitors and runs may sample on purpose, so that the others are not missing. */
const sampleNote = ({ baseline_mean: before, items: { compared, unjudged } }: Outcome): string =>
  before === null
    ? `${compared} of ${compared + unjudged} traces have a score: they decide`
    : `${unjudged} traces have no score: the others decide`;

const notesOf = (outcome: Outcome, isFiltered: boolean): readonly string[] => {
  const { items, reason, more_items: more, detectable_difference: visible, verdict } = outcome;
  const counts = itemNotes.flatMap(([name, words]) => (items[name] > 0 ? `${items[name]} ${words}` : []));
  const notes = [
    ...(reason === null ? [] : [reasonWords[reason]]),
    ...(isFiltered && items.unjudged > 0 ? [sampleNote(outcome)] : []),
    ...(counts.length === 0 ? [] : [`items ${counts.join(", ")}`]),
    ...(verdict === "cannot_tell" && more !== null ? [`about ${more} more items would decide it`] : []),
    ...(verdict === "cannot_tell" && visible !== null ? [`smallest visible drop ${number(visible)}`] : []),
    ...correctedText(outcome),
  ];
  return notes.length === 0 ? [] : [`- ${ruleText(outcome)}: ${notes.join("; ")}`];
};

const traceLinks = (side: Regression["baseline"], serviceUrl: string): string => {
  const links = side.trace_ids.map(
    (id, at) => `[trace${at === 0 ? "" : ` ${at + 1}`}](${serviceUrl}/console#/traces/${id})`,
  );
  return `${number(side.value)} ${links.join(" ")}`;
};

const regressionsOf = (outcome: Outcome, serviceUrl: string): readonly string[] => {
  if (outcome.regressions.length === 0 || outcome.verdict === "pass") return [];
  const rows = outcome.regressions.map(({ item_id: id, item_name: name, input, baseline, candidate }) => {
    const item = [name ?? id, ...(input === null ? [] : [input])].map(code).join(" ");
    return `| ${item} | ${traceLinks(baseline, serviceUrl)} | ${traceLinks(candidate, serviceUrl)} |`;
  });
  return [
    "",
    `Items that lost most: ${ruleText(outcome)}`,
    "",
    "| item | baseline | candidate |",
    "|---|---|---|",
    ...rows,
  ];
};

const awaitedNotes = (awaited: GateReply["awaited"], serviceUrl: string): readonly string[] => {
  const traces = awaited?.trace_ids.map((id) => `[trace](${serviceUrl}/console#/traces/${id})`) ?? [];
  const waits = [...traces, ...(awaited?.run_ids.map((id) => `run ${code(id)}`) ?? [])];
  return waits.length === 0 ? [] : [`- it waits for ${waits.join(", ")}`];
};

/** Writes a gate's reply as a comment for a pull request. @param serviceUrl address below which the console is. */
export const gateMarkdown = (
  { status, candidate, is_paired: isPaired, awaited, outcomes }: GateReply,
  serviceUrl: string,
): string =>
  [
    `### ${titles[status]}`,
    "",
    "| rule | baseline | candidate | tested mean (95 %) | items | verdict |",
    "|---|---|---|---|---|---|",
    ...outcomes.map(row),
    "",
    ...outcomes.flatMap((each) => notesOf(each, !isPaired && (candidate === null || each.baseline_mean !== null))),
    isPaired
      ? "- items are compared with themselves; repeats of an item count once"
      : "- traces are compared without pairs",
    ...awaitedNotes(awaited, serviceUrl),
    ...outcomes.flatMap((outcome) => regressionsOf(outcome, serviceUrl)),
    "",
  ].join("\n");
