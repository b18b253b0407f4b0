import type { Condition } from "../check.ts";
import type { CheckedCall, CheckedTrace, FoundSpan } from "../checked-trace.ts";
import { found, plural, quoted, type PreparedCondition } from "../finding.ts";
import { boundsSaid, isWithin } from "./within.ts";

type Of<T extends Condition["type"]> = Extract<Condition, { readonly type: T }>;

const spanOf = ({ spanId, name }: CheckedCall): FoundSpan | null => (spanId === "" ? null : { id: spanId, name });

const callsOf = ({ calls }: CheckedTrace, tool: string | null): readonly CheckedCall[] =>
  tool === null ? calls() : calls().filter(({ name }) => name === tool);

export const toolCalls = (condition: Of<"tool_calls">): PreparedCondition => ({
  says: `${condition.tool === null ? "tools have" : `${quoted(condition.tool)} has`} ${boundsSaid(condition, "call", "calls")}`,
  find: (checked) => {
    const calls = callsOf(checked, condition.tool);
    const { max } = condition;
    // Of too many calls those that are too many.
    const named = max === null || calls.length <= max ? calls : calls.slice(Math.floor(max));
    return found(isWithin(condition, calls.length), `there are ${calls.length}`, named.map(spanOf));
  },
  size: 0,
});

export const requiredTool = ({ tool }: Of<"required_tool">): PreparedCondition => ({
  says: `${quoted(tool)} is called`,
  find: (checked) => {
    const calls = callsOf(checked, tool);
    return found(
      calls.length > 0,
      calls.length > 0 ? `there are ${plural(calls.length, "call")}` : "it is not",
      calls.map(spanOf),
    );
  },
  size: 0,
});

export const toolBefore = ({ tool, before }: Of<"tool_before">): PreparedCondition => ({
  says: `${quoted(tool)} is called before ${quoted(before)}`,
  find: ({ calls }) => {
    const all = calls();
    const later = all.findIndex(({ name }) => name === before);
    if (later === -1) return found(true, `${quoted(before)} is not called`);
    const call = all[later];
    // Of a tool before itself: of two calls one is before the other.
    const earlier = all.slice(0, later).findLast(({ name }) => name === tool);
    const span = call === undefined ? null : spanOf(call);
    return earlier === undefined
      ? found(false, `there is no call of ${quoted(tool)} before its first call`, [span])
      : found(true, "it is", [spanOf(earlier), span]);
  },
  size: 0,
});

/** Spans and calls that failed. */
const failures = ({ trace, calls }: CheckedTrace, over: "spans" | "tools") => {
  const failed = trace.spans.filter(({ status, error }) => status === "ERROR" || error !== null);
  if (over === "spans") {
    return { of: trace.spans.length, failed: failed.map(({ span_id: id, name }): FoundSpan => ({ id, name })) };
  }
  const ids = new Set(failed.map(({ span_id: id }) => id));
  const all = calls();
  return { of: all.length, failed: all.filter((call) => call.error !== null || ids.has(call.spanId)).map(spanOf) };
};

export const errorRate = (condition: Of<"error_rate">): PreparedCondition => ({
  says: `the share of failed ${condition.over === "spans" ? "spans" : "calls of tools"} is ${boundsSaid(condition)}`,
  find: (checked) => {
    const { of, failed } = failures(checked, condition.over);
    const is = of === 0 ? 0 : failed.length / of;
    return found(isWithin(condition, is), `${failed.length} of ${of} failed`, failed);
  },
  size: 0,
});

/** Calls of a tool whose call before, of the same name, failed. */
const retriesIn = ({ trace, calls }: CheckedTrace, tool: string | null): readonly CheckedCall[] => {
  const status = new Map(
    trace.spans.map(({ span_id: id, status: is, error }) => [id, is === "ERROR" || error !== null]),
  );
  const before = new Map<string, boolean>();
  return calls().filter((call) => {
    const isRetry = before.get(call.name) ?? false;
    before.set(call.name, call.error !== null || (status.get(call.spanId) ?? false));
    return isRetry && (tool === null || call.name === tool);
  });
};

export const retries = (condition: Of<"retries">): PreparedCondition => ({
  says: `${condition.tool === null ? "tools have" : `${quoted(condition.tool)} has`} ${boundsSaid(condition, "retry", "retries")}`,
  find: (checked) => {
    const again = retriesIn(checked, condition.tool);
    return found(isWithin(condition, again.length), `there are ${again.length}`, again.map(spanOf));
  },
  size: 0,
});
