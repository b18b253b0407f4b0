import { saysSomething } from "../../domain/says-something.ts";
import type { EvidenceKind } from "../../domain/metrics/custom/definition.ts";
import type { InapplicableCode } from "../../domain/scores/inapplicable.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";
import type { Facts, FactOptions } from "../metric/metric.ts";
import { renderTranscript } from "../transcript/transcript.ts";

type Part = Exclude<EvidenceKind, "transcript" | "expected_output">;

const hasEvidence: Readonly<Record<Part, (trace: Trace) => boolean>> = {
  final_answer: ({ output }) => saysSomething(output),
  tools: ({ spans }) => spans.some(({ kind }) => kind === "TOOL"),
  retrieved_documents: ({ spans }) => spans.some(({ kind }) => kind === "RETRIEVER"),
};

const missingCodes: Readonly<Record<Part, InapplicableCode>> = {
  final_answer: "empty_output",
  tools: "no_tool_calls",
  retrieved_documents: "no_retrieved_documents",
};

const spanKinds: Readonly<Record<Part, Span["kind"] | null>> = {
  final_answer: null,
  tools: "TOOL",
  retrieved_documents: "RETRIEVER",
};

const partsOf = (evidence: readonly EvidenceKind[]): readonly Part[] =>
  evidence.filter((kind): kind is Part => kind !== "transcript" && kind !== "expected_output");

/** Returns the code of the first evidence kind that a trace lacks, so that the metric does not apply; null if it applies. */
export const missingEvidence = (evidence: readonly EvidenceKind[], trace: Trace): InapplicableCode | null => {
  const missing = partsOf(evidence).find((part) => !hasEvidence[part](trace));
  return missing === undefined ? null : missingCodes[missing];
};

/** Reduces a trace to its own fields and the spans of the given evidence kinds. */
const reducedTrace = (trace: Trace, evidence: readonly EvidenceKind[]): Trace => {
  const includedKinds = new Set(partsOf(evidence).map((part) => spanKinds[part]));
  const spans = trace.spans.filter(({ kind }) => includedKinds.has(kind));
  const ids = new Set(spans.map(({ span_id: id }) => id));
  return {
    ...trace,
    metadata: {},
    spans: spans.map((span) =>
      span.parent_span_id !== null && ids.has(span.parent_span_id)
        ? span
        : Object.assign({}, span, { parent_span_id: null }),
    ),
  };
};

/** Renders the part of a trace that a custom metric judges: input, final answer, and spans of its evidence kinds. */
export const evidenceFacts =
  (evidence: readonly EvidenceKind[]) =>
  ({ trace }: { readonly trace: Trace }, { characters, code }: FactOptions): readonly Facts[] => {
    const { text, coverage, sections } = renderTranscript(reducedTrace(trace, evidence), characters, code);
    return [{ name: "the part of the record that is judged", text, coverage, sections }];
  };
