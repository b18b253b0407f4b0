/**
 * Amounts of money for judging, in whole micro-dollars (millionths of a US dollar), so that sums are exact.
 *
 * A budget is the amount that may be spent under one ceiling. Its use, spent or reserved, is split over shards, each
 * with a share of the ceiling, so that many workers can reserve at once. A reservation that no single share can cover
 * takes from several.
 */
export type Micros = number;

/** Converts US dollars of an expense to micro-dollars, rounded up. */
export const microsUp = (dollars: number): Micros => Math.ceil(Number((dollars * 1e6).toFixed(3)));

/** Converts US dollars of a ceiling to micro-dollars, rounded down. */
export const microsDown = (dollars: number): Micros => Math.floor(Number((dollars * 1e6).toFixed(3)));

/** Converts micro-dollars to US dollars. */
export const dollarsOf = (micros: Micros): number => micros / 1e6;

/** Rounds US dollars to a billionth, finer than any price, so that a sum does not depend on the order of additions. */
export const roundDollars = (dollars: number): number => Math.round(dollars * 1e9) / 1e9;

/** Adds two amounts in US dollars; null if one of them is unknown. */
export const addDollars = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : roundDollars(a + b);

/** Kinds of ceilings, the narrowest first. */
export const ceilingKinds = ["run", "project", "organization", "deployment"] as const;
export type CeilingKind = (typeof ceilingKinds)[number];

/** Ceilings of a calendar month, which the operator sets. */
export const monthlyCeilingKinds = ["project", "organization", "deployment"] as const satisfies readonly CeilingKind[];
export type MonthlyCeiling = (typeof monthlyCeilingKinds)[number];

/**
 * Ceilings in US dollars: of one run, and per calendar month (UTC) of a project, an organization and the deployment;
 * null for no ceiling.
 */
export type Ceilings = Readonly<Record<CeilingKind, number | null>>;

/** Returns the UTC calendar month of an instant, such as `2026-11`. @param at epoch milliseconds. */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);

/** Returns the start of the next UTC calendar month, epoch milliseconds. @param at epoch milliseconds. */
export const nextMonth = (at: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};

/**
 * Number of shards of a budget: with four budgets and the slice's own item, a reservation stays below DynamoDB's 100
 * items per transaction.
 */
export const shardCount = 16;

/** Micro-dollars that a slice has reserved in a budget, by shard. */
export type ShardReservations = Readonly<Record<string, Micros>>;

const sum = (amounts: Iterable<Micros>): Micros => {
  let total = 0;
  for (const amount of amounts) total += amount;
  return total;
};

/** Returns the total that a slice has reserved in a budget. */
export const reservedTotal = (reservations: ShardReservations): Micros => sum(Object.values(reservations));

/** Returns the unused part of a budget; negative if the ceiling was lowered or judging cost more than was reserved. */
export const remainingBudget = (limit: Micros, used: readonly Micros[]): Micros => limit - sum(used);

/** The use of a budget, in US dollars. */
export interface BudgetState {
  readonly ceiling: number;
  readonly spent: number;
  /** US dollars reserved for running judgements. */
  readonly reserved: number;
  /** US dollars left to spend; 0 if the use exceeds the ceiling. */
  readonly remaining: number;
  /** Spent and reserved part of the ceiling in whole percent, rounded down. */
  readonly percent: number;
}

/**
 * Builds the state of a budget from its sums. Shards are not read at one instant, so that `reserved` is limited to
 * `used`.
 */
export const budgetState = (
  limit: Micros,
  { used, reserved }: { readonly used: Micros; readonly reserved: Micros },
): BudgetState => {
  const reservedAmount = Math.min(Math.max(0, reserved), used);
  return {
    ceiling: dollarsOf(limit),
    spent: dollarsOf(used - reservedAmount),
    reserved: dollarsOf(reservedAmount),
    remaining: dollarsOf(Math.max(0, limit - used)),
    percent: limit === 0 ? 100 : Math.floor((used / limit) * 100),
  };
};

/** Returns a shard's share of the ceiling; all shares add up to the ceiling. */
export const shareOf = (limit: Micros, shard: number): Micros =>
  Math.floor(limit / shardCount) + (shard < limit % shardCount ? 1 : 0);

/**
 * Distributes a reservation over shards: the preferred shard if it has room, else the shards with the most room. Null
 * if the shards together do not have enough.
 */
export const planReservation = (
  amount: Micros,
  limit: Micros,
  used: readonly Micros[],
  preferred: number,
): ReadonlyMap<number, Micros> | null => {
  const rooms = used.map((shardUse, shard) => ({ shard, room: Math.max(0, shareOf(limit, shard) - shardUse) }));
  const order = rooms.toSorted((a, b) => b.room - a.room);
  const first = rooms[preferred];
  const plan = new Map<number, Micros>();
  let remaining = amount;
  for (const { shard, room } of first !== undefined && first.room >= amount ? [first] : order) {
    if (remaining === 0) break;
    const part = Math.min(remaining, room);
    if (part > 0) plan.set(shard, part);
    remaining -= part;
  }
  return remaining === 0 ? plan : null;
};

/** Distributes a released amount over the shards from which the slice has reserved the most, as negative amounts. */
export const planRelease = (amount: Micros, reservations: ShardReservations): ReadonlyMap<number, Micros> => {
  const plan = new Map<number, Micros>();
  let remaining = amount;
  for (const [shard, reserved] of Object.entries(reservations).toSorted((a, b) => b[1] - a[1])) {
    const part = Math.min(remaining, reserved);
    if (part > 0) plan.set(Number(shard), -part);
    remaining -= part;
  }
  return plan;
};

/** Returns the reservations of a slice after a plan was applied. */
export const applyPlan = (reservations: ShardReservations, plan: ReadonlyMap<number, Micros>): ShardReservations => {
  const next: Record<string, Micros> = { ...reservations };
  for (const [shard, amount] of plan) next[shard] = (next[shard] ?? 0) + amount;
  return Object.fromEntries(Object.entries(next).filter(([, amount]) => amount !== 0));
};

const months = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
const money = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 6 });

/**
 * Formats the message of a run that waits at a ceiling, for the user.
 *
 * @param minimum US dollars that one judgement reserves. @param isTemporary true if reservations of other judgements fill the ceiling.
 * @param at epoch milliseconds.
 */
export const ceilingMessage = (
  kind: CeilingKind,
  ceiling: number,
  { minimum, isTemporary }: { readonly minimum: number; readonly isTemporary: boolean },
  at: number,
): string => {
  if (kind === "run") {
    return `What is left of the run's max_cost_usd of ${money.format(ceiling)} does not cover another judgement, for which ${money.format(minimum)} is set aside.`;
  }
  const period = `for judging in ${months.format(at)}`;
  return isTemporary
    ? `What is left of the ${kind}'s ceiling of ${money.format(ceiling)} ${period} is set aside for judgements in progress.`
    : `The ${kind} has reached its ceiling of ${money.format(ceiling)} ${period}: what is left does not cover another judgement, for which ${money.format(minimum)} is set aside.`;
};

/**
 * Formats the message of a run that cannot be judged under a ceiling because the model has no price, for the
 * operator.
 */
export const unpricedMessage = (model: string): string =>
  `The price of ${model} is not known, so that no ceiling could hold: give it a price in this deployment's setting 'prices', or run it without a ceiling.`;
