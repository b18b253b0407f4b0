import {
  ceilingKinds,
  ceilingMessage,
  dollarsOf,
  heldOf,
  microsDown,
  microsUp,
  roomOf,
  type CeilingKind,
  type Ceilings,
  type Micros,
  type MonthlyCeiling,
} from "../../domain/runs/spend.ts";
import { again, attempts, contended } from "../attempts.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import * as patience from "../patience.ts";
import { budgetName, shardKeys, usedOf, type SliceBooks } from "./items.ts";
import { isLive } from "../is-live.ts";
import { spendMoves, spentTargets, type SliceDelivery } from "./moves.ts";

/** What a worker wants to spend before it begins. Amounts are US dollars. */
export interface Reservation extends SliceDelivery {
  /** What the slice has cost so far, over all its deliveries, as its commits say. */
  readonly spent: number;
  /** The estimate for what is still open. */
  readonly want: number;
  /** The least that is of use: the estimate for one pair. */
  readonly least: number;
  readonly ceilings: Ceilings;
  /** Of the project; null, or absent, where it has no ceiling or is gone. */
  readonly organization?: string | null;
}

type Reserved =
  /** `usd`: what may be spent now, beyond `spent`; from `least` to `want`. */
  | { readonly kind: "granted"; readonly usd: number }
  | {
      readonly kind: "wait";
      readonly ceiling: CeilingKind;
      /** What is waited for, in words for a user. */
      readonly message: string;
      /** Whether it may get better by itself: a month ends, or other slices of the run give back what they do not need. */
      readonly mayFree: boolean;
    }
  /** A later worker has the slice. */
  | { readonly kind: "superseded" };

export interface Spend {
  /**
   * Reserves money for a slice under every ceiling there is, in one transaction. What an earlier delivery had reserved is
   * replaced, so a killed worker's reservation does not outlive the next delivery; a repeated call changes nothing. Without
   * a ceiling nothing is read or written. What is reserved never passes a ceiling; what is spent can, by as much as it
   * passes the estimates.
   */
  reserve(reservation: Reservation): Promise<Reserved>;
  /**
   * Books what the slice has really cost, `spent` US dollars over all its deliveries, and gives back the rest. Does nothing
   * when nothing was reserved or a later worker has the slice.
   */
  settle(delivery: SliceDelivery, spent: number): Promise<void>;
  /**
   * Gives back what the slices of a run hold and have not spent, for a run that will not go on.
   *
   * @param costs what each slice has cost as its commits say, US dollars by its id: one whose worker has died never told its
   *   books. Asked only where there are books.
   */
  releaseRun(project: string, run: string, costs: () => Promise<ReadonlyMap<string, number>>): Promise<void>;
}

/** Whether a slice holds of each budget what it has spent of it, no more and no less. */
const holdsWhatIsSpent = (books: SliceBooks, spent: Micros): boolean =>
  [...spentTargets(books, spent)].every(([budget, { hold }]) => heldOf(books.books[budget]?.takes ?? {}) === hold);

/** Told at each look at a monthly ceiling how much of it is used, spent or reserved: 1 is all. */
export type CeilingUsed = (ceiling: MonthlyCeiling, project: string, share: number) => void;

/** Budgets of judging, for any number of workers at once. */
export const spendStore = (
  database: Database,
  now: () => number = Date.now,
  random: () => number = Math.random,
  ceilingUsed: CeilingUsed = () => undefined,
): Spend => {
  const { read, ofRun, move } = spendMoves(database, now, random);

  const untilMoved = <Result>(work: () => Promise<Result | typeof again>): Promise<Result> =>
    attempts(patience.worker, contended("The budgets of judging moved at every attempt to change them."), work, {
      random,
    });

  /** Whether another slice of the run holds more than it has spent. */
  const othersHold = async ({ project, run, slice }: SliceDelivery, budget: string): Promise<boolean> => {
    for (const [id, books] of await ofRun(project, run)) {
      const held = heldOf(books.books[budget]?.takes ?? {});
      if (id !== slice && held > (spentTargets(books, books.spent).get(budget)?.hold ?? 0)) return true;
    }
    return false;
  };

  const tryReserve = async (reservation: Reservation): Promise<Reserved | typeof again> => {
    const { project, run, organization = null, epoch, ceilings } = reservation;
    const at = now();
    const [spent, least] = [microsUp(reservation.spent), microsUp(reservation.least)];
    const before = await read(reservation);
    if (before !== null && before.epoch > epoch) return { kind: "superseded" };
    const budgets = ceilingKinds.flatMap((kind) => {
      const usd = ceilings[kind];
      if (usd === null || (kind === "organization" && organization === null)) return [];
      return [{ kind, usd, limit: microsDown(usd), name: budgetName(kind, { project, run, organization }, at) }];
    });
    const items = (
      await batchGet(
        database,
        "spend",
        budgets.flatMap(({ name }) => shardKeys(name)),
      )
    ).filter((item) => isLive(item, at));
    const known = spentTargets(before, spent);
    let grant = microsUp(reservation.want);
    for (const { kind, usd, limit, name } of budgets) {
      const held = heldOf(before?.books[name]?.takes ?? {});
      const room = roomOf(limit, usedOf(name, items)) + held - (known.get(name)?.hold ?? 0);
      if (kind !== "run") ceilingUsed(kind, project, limit > 0 ? 1 - room / limit : 1);
      if (room < least) {
        // What the slice's last worker reserved must not be kept from others while this one waits.
        if (before !== null && !(await move(reservation, before, spent, known))) return again;
        const mayFree = kind !== "run" || (await othersHold(reservation, name));
        return { kind: "wait", ceiling: kind, message: ceilingMessage(kind, usd, reservation.least, at), mayFree };
      }
      grant = Math.min(grant, room);
    }
    const targets = new Map([...known].map(([name, target]) => [name, { ...target, goesOn: false }]));
    for (const { name, limit } of budgets) {
      const { hold, base } = known.get(name) ?? { hold: 0, base: spent };
      targets.set(name, { hold: hold + grant, base, limit, used: usedOf(name, items), goesOn: true });
    }
    return (await move(reservation, before, spent, targets)) ? { kind: "granted", usd: dollarsOf(grant) } : again;
  };

  return {
    reserve: async (reservation) => {
      if (ceilingKinds.every((kind) => reservation.ceilings[kind] === null))
        return { kind: "granted", usd: reservation.want };
      return untilMoved(() => tryReserve(reservation));
    },

    settle: async (delivery, dollars) => {
      const spent = microsUp(dollars);
      await untilMoved(async () => {
        const before = await read(delivery);
        if (before === null || before.epoch > delivery.epoch) return true;
        return (await move(delivery, before, spent, spentTargets(before, spent))) || again;
      });
    },

    releaseRun: async (project, run, costs) => {
      const all = await ofRun(project, run);
      if (all.size === 0) return;
      const known = await costs();
      for (const [slice, found] of all) {
        const spentBy = ({ spent }: SliceBooks): Micros => Math.max(spent, microsUp(known.get(slice) ?? 0));
        if (holdsWhatIsSpent(found, spentBy(found))) continue;
        await untilMoved(async () => {
          const before = await read({ project, run, slice, epoch: 0 });
          if (before === null) return true;
          const [delivery, spent] = [{ project, run, slice, epoch: before.epoch }, spentBy(before)];
          return (await move(delivery, before, spent, spentTargets(before, spent))) || again;
        });
      }
    },
  };
};
