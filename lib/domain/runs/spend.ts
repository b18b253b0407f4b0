/**
 * Money for judging, in whole micro-dollars (millionths of a US dollar): sums are exact.
 *
 * A budget is what may be spent under one ceiling. What is used of it, spent or reserved, is kept in shards, each with a
 * share of the ceiling, so that many workers can reserve at once; a reservation that fits no share takes from several.
 */
export type Micros = number;

/** Micro-dollars of an amount that is spent or wanted: never less than it is. */
export const microsUp = (dollars: number): Micros => Math.ceil(Number((dollars * 1e6).toFixed(3)));

/** Micro-dollars of a ceiling: never more than it is. */
export const microsDown = (dollars: number): Micros => Math.floor(Number((dollars * 1e6).toFixed(3)));

/** US dollars. */
export const dollarsOf = (micros: Micros): number => micros / 1e6;

/** Whose ceiling it is, the narrowest first. */
export const ceilingKinds = ["run", "project", "organization", "deployment"] as const;
export type CeilingKind = (typeof ceilingKinds)[number];

/** Those of a calendar month, which the operator sets. */
export type MonthlyCeiling = Exclude<CeilingKind, "run">;

/** US dollars that may be spent on one run, and in a calendar month (UTC) on a project, an organization and the deployment; null: no ceiling. */
export type Ceilings = Readonly<Record<CeilingKind, number | null>>;

/** The calendar month of an instant (epoch milliseconds), UTC: `2026-11`. */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);

/** When the next calendar month begins, UTC, epoch milliseconds. */
export const nextMonth = (at: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};

/** Shards of a budget. With four budgets and the slice's record a reservation stays below DynamoDB's 100 items. */
export const shardCount = 16;

/** What a slice holds in a budget, by shard. */
export type Takes = Readonly<Record<string, Micros>>;

const sum = (amounts: Iterable<Micros>): Micros => {
  let total = 0;
  for (const amount of amounts) total += amount;
  return total;
};

/** All that a slice holds in a budget. */
export const heldOf = (takes: Takes): Micros => sum(Object.values(takes));

/** What a budget has left; below 0 when the ceiling was lowered or judging cost more than was reserved. */
export const roomOf = (limit: Micros, used: readonly Micros[]): Micros => limit - sum(used);

/** What is used of a budget, US dollars. */
export interface BudgetState {
  readonly ceiling: number;
  readonly spent: number;
  /** Set aside for judgements that go on. */
  readonly reserved: number;
  /** 0 where more is used than the ceiling is. */
  readonly left: number;
  /** What is spent and reserved of the ceiling, whole percent, rounded down. */
  readonly percent: number;
}

/** A budget by its sums. A worker of an earlier version did not count what it reserved: what it left cannot pass what is used. */
export const budgetState = (
  limit: Micros,
  { used, reserved }: { readonly used: Micros; readonly reserved: Micros },
): BudgetState => {
  const aside = Math.min(Math.max(0, reserved), used);
  return {
    ceiling: dollarsOf(limit),
    spent: dollarsOf(used - aside),
    reserved: dollarsOf(aside),
    left: dollarsOf(Math.max(0, limit - used)),
    percent: limit === 0 ? 100 : Math.floor((used / limit) * 100),
  };
};

/** A shard's part of the ceiling; the parts add up to it. */
export const shareOf = (limit: Micros, shard: number): Micros =>
  Math.floor(limit / shardCount) + (shard < limit % shardCount ? 1 : 0);

/**
 * Where to take an amount: the preferred shard when it has room, else the shards with the most. Null when the shares do not
 * have it.
 */
export const planTakes = (
  amount: Micros,
  limit: Micros,
  used: readonly Micros[],
  preferred: number,
): ReadonlyMap<number, Micros> | null => {
  const rooms = used.map((taken, shard) => ({ shard, room: Math.max(0, shareOf(limit, shard) - taken) }));
  const order = rooms.toSorted((a, b) => b.room - a.room);
  const first = rooms[preferred];
  const plan = new Map<number, Micros>();
  let left = amount;
  for (const { shard, room } of first !== undefined && first.room >= amount ? [first] : order) {
    if (left === 0) break;
    const part = Math.min(left, room);
    if (part > 0) plan.set(shard, part);
    left -= part;
  }
  return left === 0 ? plan : null;
};

/** Which shards an amount goes back to: those that the slice took the most from. */
export const planReturns = (amount: Micros, takes: Takes): ReadonlyMap<number, Micros> => {
  const plan = new Map<number, Micros>();
  let left = amount;
  for (const [shard, held] of Object.entries(takes).toSorted((a, b) => b[1] - a[1])) {
    const part = Math.min(left, held);
    if (part > 0) plan.set(Number(shard), -part);
    left -= part;
  }
  return plan;
};

/** What a slice holds after a plan. */
export const afterPlan = (takes: Takes, plan: ReadonlyMap<number, Micros>): Takes => {
  const next: Record<string, Micros> = { ...takes };
  for (const [shard, amount] of plan) next[shard] = (next[shard] ?? 0) + amount;
  return Object.fromEntries(Object.entries(next).filter(([, held]) => held !== 0));
};

const months = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
const money = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 6 });

/** What a run waits for at a ceiling, in words for a user. @param least what one judgement needs. @param at epoch milliseconds. */
export const ceilingMessage = (kind: CeilingKind, ceiling: number, least: number, at: number): string => {
  if (kind === "run") {
    return `What is left of the run's max_cost_usd of ${money.format(ceiling)} does not cover another judgement, for which ${money.format(least)} is set aside.`;
  }
  return `The ${kind} has reached its ceiling of ${money.format(ceiling)} for judging in ${months.format(at)}.`;
};

/** Why a run under a ceiling cannot be judged with a model, in words for an operator. */
export const unpricedMessage = (model: string): string =>
  `The price of ${model} is not known, so that no ceiling could hold: give it a price in this deployment's setting 'prices', or run it without a ceiling.`;
