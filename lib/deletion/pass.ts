import type { Pass } from "../domain/access/deletion.ts";
import { stays, type Erase } from "../store/erase-items.ts";

/** What was removed is told at most this often, in milliseconds: as much as a worker that dies has not told. */
const tellMilliseconds = 1_000;

/** How a pass over a deletion is made. */
export interface PassParts {
  /** Epoch milliseconds at which it stops where it is; the next pass finds the rest. */
  readonly until: number;
  readonly now: () => number;
  /** Is told what was removed since it was told last, however the pass ends. */
  readonly tell: (removed: Readonly<Record<string, number>>) => Promise<void>;
}

/** Looks for everything once, and removes what it finds. */
export const passOf = async (
  erasers: readonly (readonly [name: string, erase: Erase])[],
  owner: string,
  { until, now, tell }: PassParts,
): Promise<Pass> => {
  const startedAt = now();
  let [found, untold, toldAt]: [boolean, Record<string, number>, number] = [false, {}, startedAt];

  const tellAll = async (): Promise<void> => {
    const removed = untold;
    untold = {};
    toldAt = now();
    if (Object.keys(removed).length > 0) await tell(removed);
  };

  try {
    for (const [name, erase] of erasers) {
      for await (const count of erase(owner)) {
        if (count === stays) found = true;
        else if (count > 0) {
          found = true;
          untold[name] = (untold[name] ?? 0) + count;
        }
        if (now() >= until) return { startedAt, found, complete: false };
        if (now() - toldAt >= tellMilliseconds) await tellAll();
      }
    }
    return { startedAt, found, complete: true };
  } finally {
    await tellAll();
  }
};
