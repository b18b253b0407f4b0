import { isDeepStrictEqual } from "node:util";
import type { Check, Condition } from "../../../../lib/domain/checks/check.ts";
import type { Json } from "../../../../lib/domain/json.ts";
import type { Trace } from "../../../../lib/domain/traces/trace.ts";

/** Reference implementation of checks by other means: truth tables, JavaScript's own patterns, loops over all spans. */
type Truth = "yes" | "no" | "open";

const truth = (is: boolean): Truth => (is ? "yes" : "no");

const textOf = (value: Json): string =>
  value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** A trace with what is expected of it. */
type ExpectedTrace = Trace & { readonly expected?: Json };

const textsOf = (
  trace: ExpectedTrace,
  { of, span }: { readonly of: string; readonly span: string | null },
): readonly Json[] => {
  switch (of) {
    case "output":
      return [trace.output];
    case "input":
      return [trace.input];
    case "expected_output":
      return [trace.expected ?? null];
    default: {
      const key = of === "span_inputs" ? "input" : "output";
      return trace.spans.flatMap((each) => (span !== null && each.name !== span ? [] : [each[key]]));
    }
  }
};

const between = ({ min, max }: { readonly min: number | null; readonly max: number | null }, is: number): Truth =>
  truth(is >= (min ?? Number.NEGATIVE_INFINITY) && is <= (max ?? Number.POSITIVE_INFINITY));

const isJson = (value: Json): boolean => {
  if (typeof value !== "string") return value !== null;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
};

/** Parses JSON whose numbers are small; other texts are strings. */
const jsonValue = (value: Json): unknown => {
  try {
    return JSON.parse(textOf(value));
  } catch {
    return value;
  }
};

/** Edits between two texts by the table of Wagner and Fischer. */
const edits = (one: readonly string[], other: readonly string[]): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, character] of one.entries()) {
    const next = [at + 1];
    for (const [place, wanted] of other.entries())
      next.push(
        Math.min((next[place] ?? 0) + 1, (row[place + 1] ?? 0) + 1, (row[place] ?? 0) + (character === wanted ? 0 : 1)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
};

const similarity = (one: string, other: string): number => {
  const [a, b] = [Array.from(one), Array.from(other)];
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : (longer - edits(a, b)) / longer;
};

const amount = (value: Json | undefined): number => (typeof value === "number" ? value : 0);

/** True if the trace has nothing of what a condition is about. */
const lacksInput = (condition: Condition, trace: ExpectedTrace): boolean => {
  if ("of" in condition) {
    const other = "reference" in condition && condition.reference !== undefined ? [condition.reference] : [];
    return [condition, ...other.map((of) => ({ of, span: null }))].some((part) =>
      textsOf(trace, part).every((value) => value === null),
    );
  }
  if (condition.type === "latency_ms") return false;
  const isOverTools = condition.type === "error_rate" && condition.over === "tools";
  return trace.spans.every(({ kind }) => isOverTools && kind !== "TOOL");
};

/** True if a condition asks for at least one call of a tool. */
const asksForCall = (condition: Condition): boolean =>
  condition.type === "required_tool" ||
  (condition.type === "tool_calls" && condition.min !== null && condition.min > 0);

/** @throws Error for a condition of an unsupported kind. */
const conditionTruth = (condition: Condition, trace: ExpectedTrace, isForbidden: boolean): Truth => {
  if (lacksInput(condition, trace)) {
    if (condition.absent !== undefined) return truth(condition.absent === "pass");
    const asksForAnswer = condition.type !== "lacks" && JSON.stringify(condition).includes('"expected_output"');
    return (asksForCall(condition) || asksForAnswer) && !isForbidden ? "no" : "open";
  }
  const comparand = (): Json => {
    const { text = null, reference = null } = "text" in condition ? condition : {};
    return reference === null ? text : (textsOf(trace, { of: reference, span: null })[0] ?? null);
  };
  const tools = trace.spans.filter(({ kind }) => kind === "TOOL");
  const isFailed = (span: Trace["spans"][number]): boolean => span.error !== null || span.status === "ERROR";
  switch (condition.type) {
    case "matches": {
      const pattern = new RegExp(condition.pattern, condition.ignore_case ? "iu" : "u");
      return truth(textsOf(trace, condition).some((value) => pattern.test(textOf(value))));
    }
    case "contains":
    case "lacks": {
      const fold = (text: string): string => (condition.ignore_case ? text.toUpperCase() : text);
      const count = textsOf(trace, condition).filter((value) =>
        fold(textOf(value)).includes(fold(textOf(comparand()))),
      ).length;
      return truth(count > 0 === (condition.type === "contains"));
    }
    case "equals":
    case "equals_ignoring_case": {
      const fold = (text: string): string => (condition.type === "equals" ? text : text.toLowerCase());
      const wanted = fold(textOf(comparand()));
      return truth(textsOf(trace, condition).some((value) => value !== null && fold(textOf(value)) === wanted));
    }
    case "json_equals":
      return truth(
        textsOf(trace, condition).some(
          (value) => value !== null && isDeepStrictEqual(jsonValue(value), jsonValue(comparand())),
        ),
      );
    case "similarity_at_least":
      return truth(
        textsOf(trace, condition).some(
          (value) => value !== null && similarity(textOf(value), textOf(comparand())) >= condition.similarity,
        ),
      );
    case "length": {
      const lengths = textsOf(trace, condition).map((value) => Array.from(textOf(value)).length);
      return truth(lengths.every((length) => between(condition, length) === "yes"));
    }
    case "json":
      return truth(textsOf(trace, condition).every(isJson));
    case "latency_ms":
      return trace.ended_at === null
        ? "open"
        : between(condition, Date.parse(trace.ended_at) - Date.parse(trace.started_at));
    case "tokens": {
      const counts = trace.spans.map(
        ({ token_usage: usage }) => amount(usage?.["prompt_tokens"]) + amount(usage?.["completion_tokens"]),
      );
      return between(
        condition,
        counts.reduce((sum, count) => sum + count, 0),
      );
    }
    case "cost_usd": {
      const pricedSpans = trace.spans.filter(({ cost }) => cost !== null);
      const sum = pricedSpans.reduce((total, { cost }) => total + amount(cost?.["total"]), 0);
      const isWhole = trace.spans.every(({ cost, token_usage: usage }) => cost !== null || usage === null);
      // Bounds of the cost: at most a limit, or any amount, the limits included.
      const cases = isWhole
        ? [sum]
        : [sum, condition.min ?? sum, condition.max ?? sum, 1e9].filter((each) => each >= sum);
      const answers = new Set(cases.map((each) => between(condition, each)));
      return answers.size === 1 ? between(condition, cases[0] ?? 0) : "open";
    }
    case "tool_calls":
      return between(condition, tools.filter(({ name }) => condition.tool === null || name === condition.tool).length);
    case "required_tool":
      return truth(tools.map(({ name }) => name).includes(condition.tool));
    case "tool_before": {
      const names = tools.map(({ name }) => name);
      const later = names.indexOf(condition.before);
      const first = names.indexOf(condition.tool);
      if (later === -1) return condition.absent === undefined ? "open" : truth(condition.absent === "pass");
      return truth(first !== -1 && first < later);
    }
    case "error_rate": {
      const candidates = condition.over === "tools" ? tools : trace.spans;
      return between(condition, candidates.length === 0 ? 0 : candidates.filter(isFailed).length / candidates.length);
    }
    case "retries": {
      let count = 0;
      for (const [place, span] of tools.entries()) {
        const last = tools.slice(0, place).findLast(({ name }) => name === span.name);
        if (last !== undefined && isFailed(last) && (condition.tool === null || condition.tool === span.name))
          count += 1;
      }
      return between(condition, count);
    }
    case "documents_cited":
      throw new Error("Documents have tests of their own.");
    default:
      return condition satisfies never;
  }
};

/** Truth of a check: the first entry of an order decides, for `all` "no", for `any` "yes". */
export const referenceTruth = (check: Check, trace: ExpectedTrace, isForbidden = false): Truth => {
  if ("all" in check || "any" in check) {
    const [parts, order] =
      "all" in check ? [check.all, ["no", "open", "yes"] as const] : [check.any, ["yes", "open", "no"] as const];
    const truths = new Set(parts.map((part) => referenceTruth(part, trace, isForbidden)));
    return order.find((each) => truths.has(each)) ?? "open";
  }
  if (!("not" in check)) return conditionTruth(check, trace, isForbidden);
  return ({ yes: "no", no: "yes", open: "open" } as const)[referenceTruth(check.not, trace, !isForbidden)];
};
