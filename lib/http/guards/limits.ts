import { clientLimit, isReadHeavy, organizationCeiling, scaledLimit, usagePlanRate } from "../../contract/limits.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { MinuteSums } from "../../store/limits/minute-sums.ts";
import type { RateLimits } from "../../store/limits/rate-limits.ts";
import type { Exchange, RateState } from "../exchange.ts";

/** Returns the state of the usage plan's limit on one client over all routes. Only API Gateway knows its remaining quota. */
export const planRate = (factor: number): RateState => ({
  policy: "plan",
  limit: usagePlanRate(factor),
  window: 1,
  quota: null,
});

/** Returns the refusal of a request above a rate limit. @param retryAfter whole seconds until the next attempt. */
const rateLimited = (detail: string, retryAfter: number): Refusal =>
  new Refusal({ kind: "rate-limited", detail, retryAfter });

/**
 * Returns a function that counts a client's requests against the limit of a route, per minute. A route without a limit is
 * protected by the usage plan of API Gateway alone.
 *
 * @param factor multiplier of every limit; 1 is the contract.
 * @returns the counting function, which throws Refusal `rate-limited` for a request above the limit.
 */
export const requestCounter =
  (limits: RateLimits, factor: number) =>
  async (client: string, { route, rateStates }: Exchange): Promise<void> => {
    const perMinute = clientLimit(route);
    if (perMinute === undefined) {
      rateStates.push(planRate(factor));
      return;
    }
    const limit = scaledLimit(perMinute, factor);
    const { admitted, remaining, seconds } = await limits.count(client, route.id, limit);
    rateStates.push({ policy: "client", limit, window: 60, quota: { remaining, seconds } });
    if (!admitted) throw rateLimited(`Rate limit exceeded: ${limit} per minute.`, seconds);
  };

/** Limits besides the request limits of clients: request ceilings of organizations and read budgets of clients. */
export interface Bounds {
  /**
   * Counts a request against the ceiling of its route for the organization: the requests of all its keys and users.
   *
   * @throws Refusal `rate-limited` above the ceiling. Counts are shared in blocks, so each function instance may exceed it by
   *   one block.
   */
  countForOrganization(organizationId: string, exchange: Exchange): Promise<void>;
  /**
   * Reserves read units in the client's budget of the current minute, on routes that read many items or large ones: as many
   * as its last requests of the route needed, so that concurrent requests count before they read. The exchange's
   * `recordReads` replaces them by the units that the request has consumed.
   *
   * @throws Refusal `rate-limited` when the budget is used up.
   */
  reserveReads(client: string, exchange: Exchange): Promise<void>;
}

/** The operator's settings of the ceilings and read budgets. */
export interface BoundSettings {
  /** Multiplier of every limit. */
  readonly factor: number;
  /** Multiplier of a client's limit that gives the organization's ceiling; 0 for no ceiling. */
  readonly organizationFactor: number;
  /** Ceiling of this route in requests per minute; null to derive it from `organizationFactor`. */
  readonly organizationLimit: number | null;
  /** DynamoDB read units per client and minute, before `factor`; 0 for no limit. */
  readonly readUnits: number;
}

/** Read units that are reserved for the first request of a client to a route; a third of a budget that is smaller. */
const firstReservation = 1_000;

/** Max clients and routes whose last reads are remembered. */
const maxExpectations = 5_000;

export const bounds = (sums: MinuteSums, settings: BoundSettings): Bounds => {
  const maxUnits = Math.ceil(settings.readUnits * settings.factor);
  /** Read units that a client's next request to a route is expected to need: halved when the last one needed less. */
  const expectations = new Map<string, number>();

  return {
    countForOrganization: async (organizationId, { route, rateStates }) => {
      const perMinute = clientLimit(route);
      const limit =
        perMinute === undefined ? null : organizationCeiling(route, scaledLimit(perMinute, settings.factor), settings);
      if (limit === null) return;
      const { total, seconds } = await sums.add(`organization#${organizationId}#${route.id}`, 1, limit);
      const isOver = total > limit;
      rateStates.push({
        policy: "organization",
        limit,
        window: 60,
        quota: isOver ? { remaining: 0, seconds } : null,
      });
      if (isOver) throw rateLimited(`Rate limit of the organization exceeded: ${limit} per minute.`, seconds);
    },

    reserveReads: async (client, exchange) => {
      if (maxUnits === 0 || !isReadHeavy(exchange.route)) return;
      const source = `${client} ${exchange.route.id}`;
      const expected = expectations.get(source) ?? Math.min(firstReservation, Math.ceil(maxUnits / 3));
      const { isAdmitted, seconds, correct } = await sums.reserve(`${client}#reads`, expected, maxUnits);
      if (!isAdmitted)
        throw rateLimited(
          `Read budget used up: lists, analytics and traces may read ${maxUnits} units of DynamoDB per minute and client.`,
          seconds,
        );
      exchange.recordReads = async () => {
        const { readUnits: units } = exchange.budget.spent;
        if (expectations.size >= maxExpectations) expectations.clear();
        // A refused request has read nothing and says nothing about the next one.
        if (units > 0) expectations.set(source, Math.ceil(Math.max(units, expected / 2)));
        await correct(units);
      };
    },
  };
};
