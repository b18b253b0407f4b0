import type { Pass, PassBegun } from "../domain/access/deletion.ts";
import { stays, type Erase } from "../store/erase-items.ts";

/** What was removed is told at most this often, in milliseconds: as much as a worker that dies has not told. */
const tellMilliseconds = 1_000;

/** How a turn of a pass is made. */
export interface PassParts {
  /** The pass that it goes on with; null: it begins one. */
  readonly passing: PassBegun | null;
  /** Epoch milliseconds at which it stops where it is; the next turn finds the rest. */
  readonly until: number;
  readonly now: () => number;
  /** Is told what was removed since it was told last, however the turn ends. */
  readonly tell: (removed: Readonly<Record<string, number>>) => Promise<void>;
}

/** What came of a turn. */
interface PassTurn {
  readonly pass: Pass;
  /** What erasers threw: what they are for was found, and is not gone. */
  readonly failures: readonly unknown[];
}

/**
 * Looks for everything once, and removes what it finds: in as many turns as it takes, each of which goes on with what the one
 * before was at. An eraser that fails keeps none of the others from their work.
 *
 * @param erasers in their order, each with a name of its own; the first is looked through in every turn.
 * @throws what `tell` throws.
 */
export const passOf = async (
  erasers: readonly (readonly [name: string, erase: Erase])[],
  owner: string,
  { passing, until, now, tell }: PassParts,
): Promise<PassTurn> => {
  const turnAt = now();
  const place = erasers.findIndex(([name], index) => index > 0 && name === passing?.at);
  const goesOn = passing !== null && place > 0;
  const begunAt = goesOn ? passing.begunAt : turnAt;
  const failures: unknown[] = [];
  let [found, untold, toldAt]: [boolean, Record<string, number>, number] = [goesOn && passing.found, {}, turnAt];

  const tellAll = async (): Promise<void> => {
    const removed = untold;
    untold = {};
    toldAt = now();
    if (Object.keys(removed).length > 0) await tell(removed);
  };

  /** @returns whether it came to its end. */
  const eraseAll = async (name: string, erase: Erase): Promise<boolean> => {
    for await (const count of erase(owner)) {
      if (count === stays) found = true;
      else if (count > 0) {
        found = true;
        untold[name] = (untold[name] ?? 0) + count;
      }
      if (now() >= until) return false;
      if (now() - toldAt >= tellMilliseconds) await tellAll();
    }
    return true;
  };

  const workedOn = erasers.filter((_, index) => index === 0 || index >= place);
  let at: string | null = null;
  try {
    for (const [name, erase] of workedOn) {
      const ended = await eraseAll(name, erase).catch((error: unknown) => {
        failures.push(error);
        found = true;
        return now() < until;
      });
      if (ended) continue;
      at = name;
      break;
    }
  } finally {
    await tellAll();
  }
  return { pass: { begunAt, turnAt, at, found }, failures };
};
