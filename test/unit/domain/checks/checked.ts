import type { CheckedTrace } from "../../../../lib/domain/checks/checked-trace.ts";
import { preparedCheck, type CheckResult } from "../../../../lib/domain/checks/evaluate.ts";
import { readCheck } from "../../../../lib/domain/checks/read-check.ts";
import type { Json } from "../../../../lib/domain/json.ts";
import type { Trace } from "../../../../lib/domain/traces/trace.ts";

/** A trace whose TOOL spans are its calls, in their order. */
const checkedTrace = (trace: Trace): CheckedTrace => ({
  trace,
  calls: () =>
    trace.spans
      .filter(({ kind }) => kind === "TOOL")
      .map(({ name, span_id: spanId, error }) => ({ name, spanId, error })),
});

/** What a check as it is sent says of a trace. */
export const checked = (sent: Json, trace: Trace): CheckResult => {
  const { check, flaws } = readCheck(sent);
  if (check === null) throw new Error(JSON.stringify(flaws));
  return preparedCheck(check)(checkedTrace(trace));
};
