import type { DueDays } from "../store/lake/due-days.ts";

/** Returns the sweeper's part: it starts one more writer a minute while a day is due that no writer has. */
export const lakeStarter =
  (due: Pick<DueDays, "isAny">, start: () => Promise<void>) => async (): Promise<{ readonly lakeStarted: boolean }> => {
    const lakeStarted = await due.isAny(false);
    if (lakeStarted) await start();
    return { lakeStarted };
  };
