import type { Condition } from "../check.ts";
import type { CheckedCall, CheckedTrace, SpanReference } from "../checked-trace.ts";
import { createFinding, countWithNoun, quoted, type PreparedCondition } from "../finding.ts";
import { boundsText, isWithin } from "./within.ts";

type ConditionOf<T extends Condition["type"]> = Extract<Condition, { readonly type: T }>;

const spanOf = ({ spanId, name }: CheckedCall): SpanReference | null => (spanId === "" ? null : { id: spanId, name });

const callsOf = ({ calls }: CheckedTrace, tool: string | null): readonly CheckedCall[] =>
  tool === null ? calls() : calls().filter(({ name }) => name === tool);

export const toolCallsCondition = (condition: ConditionOf<"tool_calls">): PreparedCondition => ({
  clause: `${condition.tool === null ? "tools have" : `${quoted(condition.tool)} has`} ${boundsText(condition, "call", "calls")}`,
  evaluate: (checked) => {
    const calls = callsOf(checked, condition.tool);
    const { max } = condition;
    // If there are too many calls, the surplus calls are reported.
    const reportedCalls = max === null || calls.length <= max ? calls : calls.slice(Math.floor(max));
    return createFinding(isWithin(condition, calls.length), `there are ${calls.length}`, reportedCalls.map(spanOf));
  },
  instructions: 0,
});

export const requiredToolCondition = ({ tool }: ConditionOf<"required_tool">): PreparedCondition => ({
  clause: `${quoted(tool)} is called`,
  evaluate: (checked) => {
    const calls = callsOf(checked, tool);
    return createFinding(
      calls.length > 0,
      calls.length > 0 ? `there are ${countWithNoun(calls.length, "call")}` : "it is not",
      calls.map(spanOf),
    );
  },
  instructions: 0,
});

export const toolBeforeCondition = ({ tool, before }: ConditionOf<"tool_before">): PreparedCondition => ({
  clause: `${quoted(tool)} is called before ${quoted(before)}`,
  evaluate: ({ calls }) => {
    const allCalls = calls();
    const beforeIndex = allCalls.findIndex(({ name }) => name === before);
    const call = allCalls[beforeIndex];
    // A tool required before itself needs two calls: the first precedes the second.
    const precedingCall = allCalls.slice(0, beforeIndex).findLast(({ name }) => name === tool);
    const span = call === undefined ? null : spanOf(call);
    return precedingCall === undefined
      ? createFinding(false, `there is no call of ${quoted(tool)} before its first call`, [span])
      : createFinding(true, "it is", [spanOf(precedingCall), span]);
  },
  instructions: 0,
});

/** Returns the failed spans or tool calls, and the total number of spans or tool calls. */
const failures = ({ trace, calls }: CheckedTrace, over: "spans" | "tools") => {
  const failed = trace.spans.filter(({ status, error }) => status === "ERROR" || error !== null);
  if (over === "spans") {
    return { total: trace.spans.length, failed: failed.map(({ span_id: id, name }): SpanReference => ({ id, name })) };
  }
  const ids = new Set(failed.map(({ span_id: id }) => id));
  const allCalls = calls();
  return {
    total: allCalls.length,
    failed: allCalls.filter((call) => call.error !== null || ids.has(call.spanId)).map(spanOf),
  };
};

export const errorRateCondition = (condition: ConditionOf<"error_rate">): PreparedCondition => ({
  clause: `the share of failed ${condition.over === "spans" ? "spans" : "calls of tools"} is ${boundsText(condition)}`,
  evaluate: (checked) => {
    const { total, failed } = failures(checked, condition.over);
    const rate = total === 0 ? 0 : failed.length / total;
    return createFinding(isWithin(condition, rate), `${failed.length} of ${total} failed`, failed);
  },
  instructions: 0,
});

/** Returns the tool calls whose preceding call of the same tool failed. */
const retriesIn = ({ trace, calls }: CheckedTrace, tool: string | null): readonly CheckedCall[] => {
  const hasFailedBySpan = new Map(
    trace.spans.map(({ span_id: id, status, error }) => [id, status === "ERROR" || error !== null]),
  );
  const hasFailedByTool = new Map<string, boolean>();
  return calls().filter((call) => {
    const isRetry = hasFailedByTool.get(call.name) ?? false;
    hasFailedByTool.set(call.name, call.error !== null || (hasFailedBySpan.get(call.spanId) ?? false));
    return isRetry && (tool === null || call.name === tool);
  });
};

export const retriesCondition = (condition: ConditionOf<"retries">): PreparedCondition => ({
  clause: `${condition.tool === null ? "tools have" : `${quoted(condition.tool)} has`} ${boundsText(condition, "retry", "retries")}`,
  evaluate: (checked) => {
    const retryCalls = retriesIn(checked, condition.tool);
    return createFinding(
      isWithin(condition, retryCalls.length),
      `there are ${retryCalls.length}`,
      retryCalls.map(spanOf),
    );
  },
  instructions: 0,
});
