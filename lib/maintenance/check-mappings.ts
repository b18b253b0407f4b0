import { publishMetrics } from "../published-metrics.ts";
import { mapConcurrently } from "../async/concurrency.ts";

/** Minutes between two checks: the alarm on the lag looks at five minutes. */
const periodMinutes = 5;

/** Lag of a worker whose mapping is switched off, seconds: a day, after which the stream has lost its records. */
const lagSeconds = 86_400;

/** Report of one check; `mappings` is 0 in the minutes without a check. */
export interface MappingCheck {
  readonly mappings: number;
  readonly mappingsOff: number;
}

/**
 * Checks that the mappings of stream workers are switched on, every five minutes. A worker whose mapping is off has no calls,
 * and so publishes no lag and no error; its lag is published here.
 *
 * @param mappings ids of the mappings by worker.
 */
export const mappingChecker =
  (
    mappings: Readonly<Record<string, string>>,
    isSwitchedOn: (id: string) => Promise<boolean>,
    now: () => number = Date.now,
  ) =>
  async (): Promise<MappingCheck> => {
    if (Math.floor(now() / 60_000) % periodMinutes !== 0) return { mappings: 0, mappingsOff: 0 };
    const entries = Object.entries(mappings);
    const states = await mapConcurrently(entries, entries.length, ([, id]) => isSwitchedOn(id));
    const workersOff = entries.flatMap(([worker], index) => (states[index] === true ? [] : [worker]));
    for (const worker of workersOff) publishMetrics("mapping_switched_off", { Lag: lagSeconds }, { worker });
    return { mappings: entries.length, mappingsOff: workersOff.length };
  };
