import type { APIGatewayProxyEvent } from "aws-lambda";
import { organizationCeiling, scaledLimit, clientLimit, isReadHeavy } from "../../contract/limits.ts";
import type { Route } from "../../contract/route.ts";
import type { MinuteSums } from "../../store/limits/minute-sums.ts";
import { setRateState } from "./rate-state.ts";
import { rateLimited } from "./request-count.ts";

/** Limits besides the request limits of clients: request ceilings of organizations and read budgets of clients. */
export interface Bounds {
  /**
   * Counts a request against the ceiling of its route for the organization: the requests of all its keys and users.
   *
   * @throws Refusal `rate-limited` above the ceiling. Counts are shared in blocks, so each function instance may exceed it by
   *   one block.
   */
  countForOrganization(organizationId: string, route: Route, event: APIGatewayProxyEvent): Promise<void>;
  /**
   * Checks the client's read budget of the current minute, on routes that list or aggregate.
   *
   * @throws Refusal `rate-limited` when the budget is used up.
   */
  checkReads(client: string, route: Route, event: APIGatewayProxyEvent): Promise<void>;
  /** Adds the read units of a request to the read budget of its client, if `checkReads` has admitted the request. */
  recordReads(event: APIGatewayProxyEvent, units: number): Promise<void>;
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
  const readKeys = new WeakMap<APIGatewayProxyEvent, string>();
  const maxUnits = Math.ceil(settings.readUnits * settings.factor);

  return {
    countForOrganization: async (organizationId, route, event) => {
      const perMinute = clientLimit(route);
      const limit =
        perMinute === undefined ? null : organizationCeiling(route, scaledLimit(perMinute, settings.factor), settings);
      if (limit === null) return;
      const { total, seconds } = await sums.add(`organization#${organizationId}#${route.id}`, 1, limit);
      const isOver = total > limit;
      setRateState(event, {
        policy: "organization",
        limit,
        window: 60,
        quota: isOver ? { remaining: 0, seconds } : null,
      });
      if (isOver) throw rateLimited(`Rate limit of the organization exceeded: ${limit} per minute.`, seconds);
    },

    checkReads: async (client, route, event) => {
      if (maxUnits === 0 || !isReadHeavy(route)) return;
      const key = `${client}#reads`;
      const { total, seconds } = await sums.refresh(key);
      if (total >= maxUnits)
        throw rateLimited(
          `Read budget used up: lists and analytics may read ${maxUnits} units of DynamoDB per minute and client.`,
          seconds,
        );
      readKeys.set(event, key);
    },

    recordReads: async (event, units) => {
      const key = readKeys.get(event);
      if (key !== undefined && units > 0) await sums.add(key, units, maxUnits);
    },
  };
};
