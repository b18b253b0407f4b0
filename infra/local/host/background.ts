import { setTimeout as sleep } from "node:timers/promises";

/** Background work that runs until it is stopped. */
export interface Background {
  stop(): Promise<void>;
}

/** Waits some milliseconds; returns early when the signal is aborted. */
export const pause = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
};

/**
 * Repeats a step until it is stopped. The step returns the milliseconds to wait before the next repetition.
 *
 * A step that throws is retried after a second, so that a poller survives failures of the polled service.
 *
 * @param onError callback with the error of a step; not called after the stop
 */
export const repeat = (
  step: (signal: AbortSignal) => Promise<number>,
  onError: (error: unknown) => void = () => undefined,
): Background => {
  const controller = new AbortController();
  const { signal } = controller;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const wait = await step(signal).catch((error: unknown) => {
        if (!signal.aborted) onError(error);
        return 1_000;
      });
      if (wait > 0) await pause(wait, signal);
    }
  };
  const running = run();
  return {
    stop: async () => {
      controller.abort();
      await running;
    },
  };
};
