import type { EvidenceKind } from "../../domain/metrics/custom/definition.ts";
import type { InapplicableCode } from "../../domain/scores/inapplicable.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";
import type { Facts, FactRoom } from "../metric.ts";
import { renderTranscript } from "../transcript/transcript.ts";

type Part = Exclude<EvidenceKind, "transcript">;

const isNothing = (value: Trace["output"]): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

const has: Readonly<Record<Part, (trace: Trace) => boolean>> = {
  final_answer: ({ output }) => !isNothing(output),
  tools: ({ spans }) => spans.some(({ kind }) => kind === "TOOL"),
  retrieved_documents: ({ spans }) => spans.some(({ kind }) => kind === "RETRIEVER"),
};

const codes: Readonly<Record<Part, InapplicableCode>> = {
  final_answer: "empty_output",
  tools: "no_tool_calls",
  retrieved_documents: "no_retrieved_documents",
};

const kinds: Readonly<Record<Part, Span["kind"] | null>> = {
  final_answer: null,
  tools: "TOOL",
  retrieved_documents: "RETRIEVER",
};

const partsOf = (evidence: readonly EvidenceKind[]): readonly Part[] =>
  evidence.filter((kind): kind is Part => kind !== "transcript");

/** Why a metric does not apply to a trace: something that it names as its evidence is not there. Null: it applies. */
export const missingEvidence = (evidence: readonly EvidenceKind[], trace: Trace): InapplicableCode | null => {
  const missing = partsOf(evidence).find((part) => !has[part](trace));
  return missing === undefined ? null : codes[missing];
};

/** A trace with nothing but its own fields and spans of some kinds. */
const partOf = (trace: Trace, evidence: readonly EvidenceKind[]): Trace => {
  const shown = new Set(partsOf(evidence).map((part) => kinds[part]));
  const spans = trace.spans.filter(({ kind }) => shown.has(kind));
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

/** What of a trace a metric is shown in place of its transcript: the input, the final answer, and the spans that it names. */
export const shownEvidence =
  (evidence: readonly EvidenceKind[]) =>
  ({ trace }: { readonly trace: Trace }, { characters, code }: FactRoom): readonly Facts[] => {
    const { text, coverage, sections } = renderTranscript(partOf(trace, evidence), characters, code);
    return [{ name: "the part of the record that is judged", text, coverage, sections }];
  };
