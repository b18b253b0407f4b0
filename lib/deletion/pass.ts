import type { Pass, UnfinishedPass } from "../domain/access/deletion.ts";
import { cannotEraseYet, type Erase } from "../dynamo/erase-items.ts";

/**
 * Min milliseconds between two reports of removed items of one eraser; a worker that dies loses at most one interval
 * of the counts of the eraser that it was running.
 */
const reportMilliseconds = 1_000;

/** Inputs of one turn of a deletion pass. */
export interface PassOptions {
  /** The pass to continue; null starts a new one. */
  readonly unfinishedPass: UnfinishedPass | null;
  /** Epoch milliseconds at which the turn stops; the next turn continues from there. */
  readonly until: number;
  readonly now: () => number;
  /** Receives the number of removed items by eraser name since the last report; called also when the turn fails. */
  readonly reportRemoved: (removed: Readonly<Record<string, number>>) => Promise<void>;
}

/** Result of one turn of a deletion pass. */
interface PassTurn {
  readonly pass: Pass;
  /** Errors of erasers: their items count as found and not removed. */
  readonly failures: readonly unknown[];
}

/**
 * Runs one turn of a deletion pass, which calls every eraser once over as many turns as needed. Each turn continues at the
 * eraser where the last one stopped. A failing eraser does not stop the others.
 *
 * @param erasers erasers in order, with unique names; the first runs in every turn.
 * @param owner id of the deleted project or organization.
 * @throws the error of `reportRemoved`.
 */
export const runPass = async (
  erasers: readonly (readonly [name: string, erase: Erase])[],
  owner: string,
  { unfinishedPass, until, now, reportRemoved }: PassOptions,
): Promise<PassTurn> => {
  const turnAt = now();
  const place = erasers.findIndex(([name], index) => index > 0 && name === unfinishedPass?.at);
  const isContinued = unfinishedPass !== null && place > 0;
  const begunAt = isContinued ? unfinishedPass.begunAt : turnAt;
  const failures: unknown[] = [];
  let reached: string | null = null;
  let [hasFoundItems, unreported, reportedAt]: [boolean, Record<string, number>, number] = [
    isContinued && unfinishedPass.found,
    {},
    turnAt,
  ];

  const reportAll = async (): Promise<void> => {
    const removed = unreported;
    unreported = {};
    reportedAt = now();
    if (Object.keys(removed).length > 0) await reportRemoved(removed);
  };

  /** Runs one eraser. @returns false if time ran out before the eraser was finished. */
  const eraseAll = async (name: string, erase: Erase): Promise<boolean> => {
    reached = isContinued && name === unfinishedPass.at ? unfinishedPass.place : null;
    for await (const count of erase(owner, reached)) {
      if (count === cannotEraseYet) hasFoundItems = true;
      else if (typeof count === "object") reached = count.place;
      else if (count > 0) {
        hasFoundItems = true;
        unreported[name] = (unreported[name] ?? 0) + count;
      }
      if (now() >= until) return false;
      if (now() - reportedAt >= reportMilliseconds) await reportAll();
    }
    return true;
  };

  const turnErasers = erasers.filter((_, index) => index === 0 || index >= place);
  let at: string | null = null;
  try {
    for (const [name, erase] of turnErasers) {
      const isComplete = await eraseAll(name, erase).catch((error: unknown) => {
        failures.push(error);
        hasFoundItems = true;
        return now() < until;
      });
      if (!isComplete) {
        at = name;
        break;
      }
      await reportAll();
    }
  } finally {
    await reportAll();
  }
  return { pass: { begunAt, turnAt, at, place: at === null ? null : reached, found: hasFoundItems }, failures };
};
