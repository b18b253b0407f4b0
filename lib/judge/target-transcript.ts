import type { Json } from "../domain/json.ts";
import type { Trace } from "../domain/traces/trace.ts";
import { coveredShare, renderTranscript, type Coverage, type Transcript } from "./transcript/transcript.ts";
import { evidenceIn, type CheckedEvidence } from "./verdict/evidence.ts";

/** Returns the transcript of a judged trace, rendered at its first use. `budget` is its length in characters, `code` delimits its lines. */
export const targetTranscript = (trace: Trace, budget: number, code: string) => {
  let cachedTranscript: Transcript | null = null;
  let findEvidence: ReturnType<typeof evidenceIn> | null = null;
  let share = 1;
  const current = (): Transcript => (cachedTranscript ??= renderTranscript(trace, Math.floor(share * budget), code));
  return {
    current,
    /** Coverage of the transcript; null while nothing was rendered. */
    coverage: (): Coverage | null => cachedTranscript?.coverage ?? null,
    /**
     * Shortens the transcript to a share of its text, for a model with a smaller context window; false, and unchanged, if it would show less
     * of the trace than `leastCoverage`.
     */
    shorten: (part: number, leastCoverage: number): boolean => {
      const shorterShare = Math.min(share, current().text.length / budget) * part;
      const shorter = renderTranscript(trace, Math.floor(shorterShare * budget), code);
      if (coveredShare(shorter.coverage) < leastCoverage) return false;
      [share, cachedTranscript, findEvidence] = [shorterShare, shorter, null];
      return true;
    },
    /** Looks cited texts up in the transcript; null if nothing is cited. */
    checkEvidence: (cited: Json | undefined): CheckedEvidence | null =>
      (findEvidence ??= evidenceIn(current().sections))(cited),
  };
};
