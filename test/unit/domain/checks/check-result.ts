import type { CheckedTrace } from "../../../../lib/domain/checks/checked-trace.ts";
import { prepareCheck, type CheckResult } from "../../../../lib/domain/checks/evaluate.ts";
import { readCheck } from "../../../../lib/domain/checks/read-check.ts";
import type { Json } from "../../../../lib/domain/json.ts";
import type { Trace } from "../../../../lib/domain/traces/trace.ts";

/** A trace whose TOOL spans, in their order, are its tool calls. */
const checkedTrace = (trace: Trace, expectedOutput: Json): CheckedTrace => ({
  trace,
  expectedOutput,
  calls: () =>
    trace.spans
      .filter(({ kind }) => kind === "TOOL")
      .map(({ name, span_id: spanId, error }) => ({ name, spanId, error })),
});

/** Result of a check, given in the form of the API, on a trace. */
export const checked = (input: Json, trace: Trace, expectedOutput: Json = null): CheckResult => {
  const { check, flaws } = readCheck(input);
  if (check === null) throw new Error(JSON.stringify(flaws));
  return prepareCheck(check)(checkedTrace(trace, expectedOutput));
};
