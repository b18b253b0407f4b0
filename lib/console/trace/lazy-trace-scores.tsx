import { LoadingNote } from "../parts/loading-note.tsx";
import { lazyPart } from "../parts/lazy.tsx";

/** Scores of a trace, whose code is loaded while they are. */
export const LazyTraceScores = lazyPart(
  async () => (await import("./trace-scores.tsx")).TraceScores,
  undefined,
  <section class="verdicts" aria-busy="true">
    <h2>Scores</h2>
    <LoadingNote>Loading the scores</LoadingNote>
  </section>,
);
