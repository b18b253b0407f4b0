import { nameAdvice } from "../nearest-name.ts";
import { invalid } from "../refusal.ts";
import { promptText } from "../traces/provenance.ts";
import type { ListedTrace } from "../traces/row.ts";
import type { Score } from "./score.ts";

/** A value by which scores are grouped; null if a trace or a score has none. */
export type GroupValue = string | null;

/** Fields of a score that groups are made of. */
type GroupedScore = Pick<Score, "judge" | "metadata">;

/** Names of a project's models by their numbers in rows. */
type ModelNames = ReadonlyMap<number, string>;

type TraceValues = (trace: ListedTrace, models: ModelNames) => readonly GroupValue[];

type ScoreValue = (score: GroupedScore) => GroupValue;

/** What scores are grouped by: a fact of their trace, or one of the score itself. A trace can have several values. */
export type Dimension = { readonly name: string } &
  /** A trace without any value is left out. */
  ({ readonly ofTrace: TraceValues } | { readonly ofScore: ScoreValue });

const orNull = (values: readonly GroupValue[]): readonly GroupValue[] => (values.length === 0 ? [null] : values);

const traceFactValues = {
  release: ({ release }) => [release],
  environment: ({ environment }) => [environment],
  model: ({ facts }, models) => orNull(facts?.spans.models.numbers.map((number) => models.get(number) ?? null) ?? []),
  trace_name: ({ name }) => [name],
  tag: ({ tags }) => orNull([...new Set(tags)]),
  user_id: ({ userId }) => [userId],
  prompt: ({ facts }) => orNull(facts?.provenance.prompts.map(promptText) ?? []),
} as const satisfies Readonly<Record<string, TraceValues>>;

/** Name of a group by a fact that all traces have. */
export type TraceFactName = keyof typeof traceFactValues;

/** Facts of traces by the name of their group. */
const traceFacts: ReadonlyMap<string, TraceValues> = new Map(Object.entries<TraceValues>(traceFactValues));

const scoreFacts: ReadonlyMap<string, ScoreValue> = new Map(
  Object.entries<ScoreValue>({
    judge: ({ judge }) => judge?.id ?? null,
    metric_version: ({ metadata: { metric_version: version } }) =>
      typeof version === "number" ? String(version) : null,
  }),
);

/** Names of groups, apart from `metadata.<key>`. */
export const dimensionNames: readonly string[] = [...traceFacts.keys(), ...scoreFacts.keys()];

/** Maximum number of names in one `group_by`. */
export const maxDimensions = 2;

const metadataPrefix = "metadata.";

/**
 * Returns what scores are grouped by.
 *
 * @param names values of `group_by`, names or lists of names with commas.
 * @param metadataKeys metadata keys that the project declares.
 * @throws Refusal `invalid` for more than two names, an unknown name or an undeclared key.
 */
export const dimensionsOf = (names: readonly string[], metadataKeys: readonly string[]): readonly Dimension[] => {
  const loc = ["query", "group_by"];
  const knownNames = [...dimensionNames, ...metadataKeys.map((key) => metadataPrefix + key)];
  // A declared key may contain a comma.
  const separateNames = names.flatMap((name) => (knownNames.includes(name) ? [name] : name.split(",")));
  const uniqueNames = [...new Set(separateNames)];
  if (uniqueNames.length > maxDimensions)
    throw invalid(loc, `Scores can be grouped by at most ${maxDimensions} names, and these are ${uniqueNames.length}.`);
  return uniqueNames.map((name): Dimension => {
    const [ofTrace, ofScore] = [traceFacts.get(name), scoreFacts.get(name)];
    if (ofTrace !== undefined) return { name, ofTrace };
    if (ofScore !== undefined) return { name, ofScore };
    if (!knownNames.includes(name))
      throw invalid(loc, `Scores cannot be grouped by ${name}${nameAdvice(name, knownNames)}`);
    const key = name.slice(metadataPrefix.length);
    return { name, ofTrace: ({ facts }) => [facts?.metadata.find((each) => each.key === key)?.value ?? null] };
  });
};

/** True if scores are grouped by a fact of their own, so that each score counts, not only the newest of each trace. */
export const groupsScores = (dimensions: readonly Dimension[]): boolean =>
  dimensions.some((dimension) => "ofScore" in dimension);
