import type { AlertRule } from "../../domain/alerts/rule.ts";
import type { AlertTransition } from "../../domain/alerts/state.ts";

/** Partition of a project's alert rules, their states and their history, in the table `monitors`. */
export const alertsPartition = (project: string): string => `${project}#alerts`;

const [rulePrefix, statePrefix, historyPrefix] = ["rule#", "state#", "history#"];

export const ruleKey = (project: string, id: string) => ({ pk: alertsPartition(project), sk: rulePrefix + id });

export const rulesOf = (project: string) => ({ pk: alertsPartition(project), prefix: rulePrefix });

export const stateKey = (project: string, id: string) => ({ pk: alertsPartition(project), sk: statePrefix + id });

export const statesOf = (project: string) => ({ pk: alertsPartition(project), prefix: statePrefix });

/** Key of the counter of a project's rules. */
export const alertCountKey = (project: string) => ({ pk: alertsPartition(project), sk: "count" });

/** Instants in keys, padded so that keys sort by time. */
const instantText = (at: number): string => String(at).padStart(14, "0");

/** Key of a change of state, by the end of the window that decided, epoch milliseconds. */
export const historyKey = (
  project: string,
  id: string,
  { end, transition }: { readonly end: number; readonly transition: AlertTransition },
) => ({
  pk: alertsPartition(project),
  sk: `${historyPrefix}${id}#${instantText(end)}#${transition}`,
});

export const historyOf = (project: string, id: string) => ({
  pk: alertsPartition(project),
  prefix: `${historyPrefix}${id}#`,
});

/** Partition of the rules to evaluate in the sparse index `due` of the table `monitors`. */
export const dueAlertsPartition = "due-alerts";

/** Returns the project and rule of an item of the index `due`. */
export const ruleOfState = ({ pk, sk }: { readonly pk: string; readonly sk: string }) => ({
  project: pk.slice(0, pk.indexOf("#")),
  id: sk.slice(statePrefix.length),
});

/** Partition of the sums of a project's rules, in the table `aggregates`. */
export const alertSumsPartition = (project: string): string => `${project}#alert-sums`;

/** Key of the rules that count a score, beside the sums: ids of rules, which begin the keys of those, are no word. */
export const scoreMatchKey = (project: string, score: string) => ({
  pk: alertSumsPartition(project),
  sk: `score#${score}`,
});

/** Prefix of the sort keys of a window's sums, one for each stream shard. */
export const sumsPrefix = ({ id, generation }: Pick<AlertRule, "id" | "generation">, end: number): string =>
  `${id}#${generation}#${instantText(end)}#`;

/** Returns the end of the window in the sort key of its sums. */
export const endOfSums = (sort: unknown): number => Number(String(sort).split("#")[2]);
