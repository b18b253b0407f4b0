import type { Pocket, Purse, Want } from "../../judge/spending/purse.ts";

/** How a slice's money grew, US dollars beyond what it had spent; or that there is none. */
type Growth =
  | { readonly kind: "granted"; readonly usd: number }
  /** `mayFree`: whether it may get better by itself. */
  | { readonly kind: "short"; readonly mayFree: boolean };

/**
 * Sets aside what a slice is to have beyond what it has spent in this delivery.
 *
 * @param want US dollars. @param least with less nothing is set aside, and what the slice had is given back.
 */
export type Grow = (spent: number, want: number, least: number) => Promise<Growth>;

interface Ledger {
  readonly purse: Purse;
  /** US dollars that this delivery has spent, calls counted whose usage nobody told. */
  readonly spent: () => number;
  /** Whether there was no money for a judgement; `mayFree`: whether it may get better by itself. */
  readonly dry: () => { readonly mayFree: boolean } | null;
}

interface LedgerParts {
  readonly grow: Grow;
  /** Judgements that the slice needs at most. */
  readonly needed: number;
  /** Judgements at a time. */
  readonly places: number;
  /** Whether another judgement may begin at all. */
  readonly mayStart: () => boolean;
}

/** What a judgement is thought to cost before one has, of what it can cost at most. */
const firstGuess = 1 / 3;

/**
 * The money of one delivery of a slice. Before a judgement begins, all that it can cost is set aside; what it has not cost is
 * free for the next one. Where there is not so much, a judgement waits for those under way, then asks the budgets for more,
 * and only then begins with less.
 */
export const sliceLedger = ({ grow, needed, places, mayStart }: LedgerParts): Ledger => {
  let [granted, spent, held, open, closed] = [0, 0, 0, 0, 0];
  let dry: { readonly mayFree: boolean } | null = null;
  let given = Promise.withResolvers<void>();
  let queue: Promise<unknown> = Promise.resolve();

  const free = (): number => granted - spent - held;

  const pocketOf = (usd: number): Pocket => {
    let [left, isOpen] = [usd, true];
    held += usd;
    open += 1;
    return {
      left: () => left,
      add: (more) => {
        if (!isOpen || free() < more) return false;
        left += more;
        held += more;
        return true;
      },
      spend: (cost) => {
        const own = isOpen ? Math.min(left, cost) : 0;
        left -= own;
        held -= own;
        spent += cost;
      },
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        held -= left;
        open -= 1;
        closed += 1;
        // What was set aside and given back leaves nothing behind but what doubles cannot hold.
        if (open === 0) held = 0;
        given.resolve();
        given = Promise.withResolvers();
      },
    };
  };

  /** What is asked for: enough for those at a time, and what the others are likely to cost. */
  const wish = ({ most }: Want): number => {
    const rest = Math.max(1, needed - closed);
    const together = Math.min(places, rest);
    const likely = closed === 0 ? most * firstGuess : spent / closed;
    return together * most + (rest - together) * likely;
  };

  const grown = async (want: Want, least: number): Promise<Growth> => {
    const growth = await grow(spent, Math.max(least, wish(want)), least);
    granted = spent + (growth.kind === "granted" ? growth.usd : 0);
    return growth;
  };

  const setAside = async (want: Want): Promise<Pocket | null> => {
    while (dry === null && mayStart()) {
      if (free() >= want.most) return pocketOf(want.most);
      if (open > 0) {
        await given.promise;
        continue;
      }
      let growth = await grown(want, want.enough);
      // Others will not give anything back: shorter answers are better than none.
      if (growth.kind === "short" && !growth.mayFree) growth = await grown(want, want.least);
      if (growth.kind === "granted") return pocketOf(Math.min(free(), want.most));
      dry = growth;
    }
    return null;
  };

  return {
    purse: {
      setAside: (want) => {
        const pocket = queue.then(() => setAside(want));
        queue = pocket.catch(() => null);
        return pocket;
      },
    },
    spent: () => spent,
    dry: () => dry,
  };
};
