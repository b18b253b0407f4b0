import type { JsonObject } from "../../domain/json.ts";
import type { Trace } from "../../domain/trace.ts";
import { placedSpans } from "../../judge/transcript/span-order.ts";

/** The tools a trace called, as its TOOL spans tell in order: fact, so no judge is asked for it. */
export const toolsCalled = (trace: Trace): readonly JsonObject[] =>
  placedSpans(trace.spans)
    .filter(({ span }) => span.kind === "TOOL")
    .map(({ span }) => ({ name: span.name, parameters: span.input }));
