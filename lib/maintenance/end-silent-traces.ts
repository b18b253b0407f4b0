import { inTurns, throwFailures } from "../async/in-turns.ts";
import type { EndingMarker, EndingMarkers } from "../store/traces/silence/ending-markers.ts";
import type { EndBySilence } from "../store/traces/silence/end-by-silence.ts";

/** Traces ended concurrently. */
const concurrency = 8;

interface Parts {
  readonly markers: EndingMarkers;
  readonly end: EndBySilence;
  readonly silenceOf: (project: string) => Promise<number | null>;
  readonly now: () => number;
}

/** Report of one sweep over the traces that are due to end by silence. */
interface EndingSweep {
  readonly endings: number;
  /** True if time ran out: the next sweep continues with the remaining traces. */
  readonly left: boolean;
}

/**
 * Ends the traces that are due to end by silence, or marks them again. A marker is removed last, so that none is lost.
 *
 * @param budget milliseconds of work. @throws AggregateError when some traces could not be ended, after all others.
 */
export const endSilentTraces = async (
  { markers, end, silenceOf, now }: Parts,
  budget: number,
): Promise<EndingSweep> => {
  const decide = async (marker: EndingMarker): Promise<void> => {
    const { project, trace } = marker;
    const silence = await silenceOf(project);
    const due = silence === null ? null : await end(project, trace, silence);
    if (due !== null) await markers.mark(project, trace, due);
    await markers.clear(marker);
  };
  const turns = await inTurns(markers.due(now()), decide, { until: now() + budget, now, concurrency });
  throwFailures(turns, "Traces that could not be ended");
  return { endings: turns.taken, left: turns.isIncomplete };
};
