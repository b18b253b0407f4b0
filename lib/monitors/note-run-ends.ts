import { firstState } from "../domain/alerts/state.ts";
import { stoppedStep, type RunEnd } from "../domain/alerts/stopped.ts";
import { immediateRetryPolicy } from "../dynamo/retry-policies.ts";
import { throwContention, tryAgain, withRetries } from "../dynamo/with-retries.ts";
import type { AlertStates } from "../store/alerts/states.ts";
import { stoppedEvent } from "./alert-event.ts";
import type { Monitors } from "../store/monitors/monitors.ts";

/** The end of a run that a monitor has started. */
interface MonitorRunEnd extends RunEnd {
  readonly project: string;
  readonly monitor: string;
}

interface Dependencies {
  readonly monitors: Pick<Monitors, "get">;
  readonly states: Pick<AlertStates, "get" | "put">;
  readonly now?: () => number;
}

/**
 * Returns a function that keeps the built-in alerts of monitors, which are raised while evaluation has stopped. Each end of a
 * run costs two reads and a write; one that is delivered again changes nothing.
 */
export const runEndNotes =
  ({ monitors, states, now = Date.now }: Dependencies) =>
  async (ends: readonly MonitorRunEnd[]): Promise<void> => {
    for (const { project, monitor: id, ...end } of ends.toSorted((a, b) => a.at - b.at)) {
      const contention = throwContention(
        "The alert of a monitor changed during every attempt to note the end of a run.",
      );
      await withRetries(immediateRetryPolicy, contention, async () => {
        const [stored, before] = await Promise.all([monitors.get(project, id), states.get(project, id)]);
        if (stored?.monitor.settings.alert_if_stopped !== true) return null;
        const step = stoppedStep(before?.state ?? firstState, end);
        if (step === null) return null;
        const { state, evaluation, transition } = step;
        const changes = transition === null ? [] : [{ transition, end: end.at, evaluation }];
        const events = changes.map((change) => stoppedEvent(stored.monitor, change, now()));
        const options = { revision: before?.revision ?? null, nextEnd: null, changes, events };
        return (await states.put(project, id, { state, evaluation }, options)) ? null : tryAgain;
      });
    }
  };
