import type { Json } from "../domain/json.ts";
import type { Span } from "../domain/traces/trace.ts";
import type { ExportedSpan } from "./attributes/exported-span.ts";
import { usageUnder } from "./usage-readers.ts";

/** Prefix of the attributes with which Pydantic AI reports the usage of an agent's run. */
const aggregated = "gen_ai.aggregated_usage.";

/** Reads the usage of an agent's run, for spans that report that of its calls apart from it. */
export const aggregatedUsage = usageUnder(aggregated);

/** Vercel's AI SDK: operations around one or more calls (`ai.generateText.doGenerate`). */
const outerOperations = new Set<Json | undefined>(
  ["generateText", "streamText", "generateObject", "streamObject", "embed", "embedMany"].map((name) => `ai.${name}`),
);

/**
 * Spans whose usage is the total of the calls within them by definition of their SDK, which may also know calls that have no
 * span: what exceeds the spans within is counted too. Spans of other programs around a call may repeat only a part of it.
 */
const totals: Readonly<Record<string, (span: ExportedSpan, kind: Span["kind"]) => boolean>> = {
  "Pydantic AI": ({ attributes }) => Object.keys(attributes).some((name) => name.startsWith(aggregated)),
  "Vercel's AI SDK": ({ attributes }) => outerOperations.has(attributes["ai.operationId"]),
  "Claude Agent SDK": ({ scope }, kind) => kind === "AGENT" && /claude[._-]?(?:agent|code)/iu.test(scope.name),
};

/** True if the usage of a span is marked as the total of the calls within it. */
export const isUsageTotal = (span: ExportedSpan, kind: Span["kind"]): boolean =>
  Object.values(totals).some((isTotal) => isTotal(span, kind));
