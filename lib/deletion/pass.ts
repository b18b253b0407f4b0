import type { Pass } from "../domain/access/deletion.ts";
import type { Erase } from "../store/erase-items.ts";

/**
 * Looks for everything once, and removes what it finds.
 *
 * @param until epoch milliseconds at which it stops where it is; the next pass finds the rest.
 */
export const passOf = async (
  erasers: readonly (readonly [name: string, erase: Erase])[],
  owner: string,
  until: number,
  now: () => number,
): Promise<Pass> => {
  const startedAt = now();
  const removed: Record<string, number> = {};
  for (const [name, erase] of erasers) {
    for await (const count of erase(owner)) {
      removed[name] = (removed[name] ?? 0) + count;
      if (now() >= until) return { startedAt, removed, complete: false };
    }
  }
  return { startedAt, removed, complete: true };
};
