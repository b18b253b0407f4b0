import type { JsonObject } from "../json.ts";
import type { Check, Condition } from "./check.ts";
import type { CheckedTrace, FoundSpan } from "./checked-trace.ts";
import type { Finding, PreparedCondition } from "./finding.ts";
import { preparedCondition } from "./prepare-condition.ts";

/** A condition that decides what becomes of a check. */
interface Decisive {
  readonly path: string;
  readonly condition: Condition;
  readonly says: string;
  readonly finding: Finding;
}

/** What becomes of a check, or of a part of it, and by which of its conditions. */
interface Outcome {
  /** Null: the trace does not tell. */
  readonly holds: boolean | null;
  readonly by: readonly Decisive[];
}

type Part = (checked: CheckedTrace) => Outcome;

/** What a check says of a trace. */
export interface CheckResult {
  /** Null where the trace does not tell. */
  readonly holds: boolean | null;
  /** Which conditions decided it, on which spans. */
  readonly reason: string;
  readonly details: JsonObject;
  /** That the conditions were decided by, each once. */
  readonly spans: readonly FoundSpan[];
}

/** Conditions that a reason and the details name, and characters of a reason. */
const [mostNamed, longestReason] = [10, 2000] as const;

const leaf = (condition: Condition, path: string): Part => {
  const prepared: PreparedCondition | string = preparedCondition(condition);
  if (typeof prepared === "string") throw new Error(`A condition that is none was kept: ${prepared}`);
  const { says, find } = prepared;
  return (checked) => {
    const finding = find(checked);
    return { holds: finding.holds, by: [{ path, condition, says, finding }] };
  };
};

const of = (outcomes: readonly Outcome[], holds: boolean | null): readonly Decisive[] =>
  outcomes.flatMap((outcome) => (outcome.holds === holds ? outcome.by : []));

/** One part that is `decides` decides; without it one that is open leaves it open. */
const combined = (parts: readonly Part[], decides: boolean): Part => {
  return (checked) => {
    const outcomes = parts.map((part) => part(checked));
    const is = (each: boolean | null): boolean => outcomes.some(({ holds }) => holds === each);
    const holds = is(decides) ? decides : is(null) ? null : !decides;
    return { holds, by: of(outcomes, holds) };
  };
};

const partOf = (check: Check, path: string): Part => {
  const inside = (key: string): string => (path === "" ? key : `${path}.${key}`);
  if ("all" in check)
    return combined(
      check.all.map((each, place) => partOf(each, inside(`all[${place}]`))),
      false,
    );
  if ("any" in check)
    return combined(
      check.any.map((each, place) => partOf(each, inside(`any[${place}]`))),
      true,
    );
  if (!("not" in check)) return leaf(check, path === "" ? "condition" : path);
  const part = partOf(check.not, inside("not"));
  return (checked) => {
    const { holds, by } = part(checked);
    return { holds: holds === null ? null : !holds, by };
  };
};

const where = (spans: readonly FoundSpan[]): string =>
  spans.length === 0
    ? ""
    : ` (${spans.map(({ id, name }) => `span ${id}, ${JSON.stringify(name.slice(0, 80))}`).join("; ")})`;

const sentence = ({ path, says, finding: { holds, observed, spans } }: Decisive): string => {
  const becomes = holds === null ? "is open" : holds ? "holds" : "fails";
  return `${path} ${becomes}: ${says}; ${observed}${where(spans)}.`;
};

const openings = { true: "The check holds.", false: "The check fails.", null: "The trace does not tell." } as const;

const shown = ({ path, condition, says, finding }: Decisive): JsonObject => ({
  path,
  type: condition.type,
  says,
  holds: finding.holds,
  observed: finding.observed,
  spans: finding.spans.map(({ id }) => id),
});

/** A check that is ready for many traces: patterns and schemas are read once. */
export const preparedCheck = (check: Check): ((checked: CheckedTrace) => CheckResult) => {
  const part = partOf(check, "");
  return (checked) => {
    const { holds, by } = part(checked);
    const named = by.slice(0, mostNamed);
    const rest = by.length > named.length ? [`And ${by.length - named.length} more.`] : [];
    const reason = [openings[`${holds}`], ...named.map(sentence), ...rest].join(" ");
    const spans = new Map(by.flatMap(({ finding }) => finding.spans).map((span) => [span.id, span]));
    return {
      holds,
      reason: reason.length > longestReason ? `${reason.slice(0, longestReason - 3)}...` : reason,
      details: {
        conditions: named.map(shown),
        ...(by.length > named.length && { left_out: by.length - named.length }),
      },
      spans: [...spans.values()],
    };
  };
};
