import { clientLimit, isReadHeavy, organizationCeiling, scaledLimit } from "../../contract/limits.ts";
import type { MinuteSums } from "../../store/limits/minute-sums.ts";
import type { Exchange } from "../exchange.ts";
import { rateLimited } from "./request-count.ts";

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
   * Checks the client's read budget of the current minute, on routes that list or aggregate. The exchange's `recordReads`
   * adds to the budget of an admitted request.
   *
   * @throws Refusal `rate-limited` when the budget is used up.
   */
  checkReads(client: string, exchange: Exchange): Promise<void>;
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

export const bounds = (sums: MinuteSums, settings: BoundSettings): Bounds => {
  const maxUnits = Math.ceil(settings.readUnits * settings.factor);

  return {
    countForOrganization: async (organizationId, { route, rates }) => {
      const perMinute = clientLimit(route);
      const limit =
        perMinute === undefined ? null : organizationCeiling(route, scaledLimit(perMinute, settings.factor), settings);
      if (limit === null) return;
      const { total, seconds } = await sums.add(`organization#${organizationId}#${route.id}`, 1, limit);
      const isOver = total > limit;
      rates.push({
        policy: "organization",
        limit,
        window: 60,
        quota: isOver ? { remaining: 0, seconds } : null,
      });
      if (isOver) throw rateLimited(`Rate limit of the organization exceeded: ${limit} per minute.`, seconds);
    },

    checkReads: async (client, exchange) => {
      if (maxUnits === 0 || !isReadHeavy(exchange.route)) return;
      const key = `${client}#reads`;
      const { total, seconds } = await sums.refresh(key);
      if (total >= maxUnits)
        throw rateLimited(
          `Read budget used up: lists and analytics may read ${maxUnits} units of DynamoDB per minute and client.`,
          seconds,
        );
      exchange.recordReads = async () => {
        if (exchange.meter.units > 0) await sums.add(key, exchange.meter.units, maxUnits);
      };
    },
  };
};
