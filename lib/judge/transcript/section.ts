import type { NumberedSpan, SpanPriority } from "./spans.ts";

/** A section of a transcript: a head line, and a text (body) that may be shortened. */
export interface TranscriptSection {
  readonly head: string;
  /** Indented text; empty for a section without a body. */
  readonly body: string;
  /** Kind of content; determines the share of the transcript that the body gets when bodies are shortened. */
  readonly part: "trace" | "head" | "input" | "output" | "error" | "aside";
  /** Span of the content; null for content of the trace itself. */
  readonly span: { readonly id: string; readonly number: number } | null;
}

/** A span with its priority and rendered sections. */
export interface RenderedSpan {
  readonly numberedSpan: NumberedSpan;
  readonly priority: SpanPriority;
  readonly sections: readonly TranscriptSection[];
}

/** Computes the characters of a transcript of these sections. */
export const totalSize = (sections: readonly TranscriptSection[]): number =>
  sections.reduce((sum, { head, body }) => sum + head.length + 1 + (body === "" ? 0 : body.length + 1), 0);
