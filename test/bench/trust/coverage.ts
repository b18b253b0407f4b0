import type { Span, Trace } from "../../../lib/domain/traces/trace.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import { coveredShare, maxTranscriptLength, renderTranscript } from "../../../lib/judge/transcript/transcript.ts";
import { seeded, type Random } from "../../support/random.ts";
import { generateTrace } from "../generate-trace.ts";

const lengths = [20, 100, 500, 2000, 10_000] as const;
/** Number of steps per failing step. */
const failing = 100;

/** A generated trace whose steps are repeated with changed words and numbers up to the given length. */
const traceOf = (random: Random, spans: number): { readonly trace: Trace; readonly failed: number } => {
  const base = mergeTrace(null, generateTrace(random.next, "trust", Date.UTC(2026, 9, 1)));
  const [first] = base.spans;
  const steps = Array.from({ length: spans }, (_, index): Span => {
    const like = base.spans[index % base.spans.length] ?? first;
    if (like === undefined) throw new Error("The generated trace has no span.");
    const error = index > 0 && random.below(failing) === 0;
    return {
      ...like,
      span_id: `${String(index).padStart(12, "0")}-${like.span_id}`,
      parent_span_id: null,
      started_at: new Date(Date.UTC(2026, 9, 1) + index * 1000).toISOString(),
      ...(error && {
        status: "ERROR" as const,
        error: `${random.pick(["Timeout", "Refused", "NotFound"])}: step ${index}`,
      }),
    };
  });
  return { trace: { ...base, spans: steps }, failed: steps.filter(({ status }) => status === "ERROR").length };
};

/** Prints the share of a trace and of its failures that the judge is shown, by trace length. */
export const benchCoverage = (seed: number): void => {
  console.log(`Of a transcript of ${maxTranscriptLength.toLocaleString("en")} characters\n`);
  console.log("| spans | shown | shown or repeated | failed spans shown | ms |");
  console.log("|---|---|---|---|---|");
  for (const length of lengths) {
    const { trace, failed } = traceOf(seeded(seed).fork(length), length);
    const started = performance.now();
    const { text, coverage } = renderTranscript(trace, maxTranscriptLength);
    const took = performance.now() - started;
    const shownFailures = text.match(/^\w+ #\d+ [A-Z]+ ERROR\b/gmu)?.length ?? 0;
    const shares = [coverage.ratio, coveredShare(coverage)].map((share) => share.toFixed(2));
    console.log(`| ${[length, ...shares, `${shownFailures} of ${failed}`, Math.round(took)].join(" | ")} |`);
  }
};
