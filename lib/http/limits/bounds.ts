import type { APIGatewayProxyEvent } from "aws-lambda";
import { ceilingOf, factored, limitOf, readsMuch } from "../../contract/limits.ts";
import type { Route } from "../../contract/route.ts";
import type { MinuteSums } from "../../store/limits/minute-sums.ts";
import { noteRate } from "./rate-state.ts";
import { tooMany } from "./request-count.ts";

/** What clients are held to beside their own limits of requests. */
export interface Bounds {
  /**
   * Counts a request of an organization's against the ceiling of its route: all requests of its keys and users.
   *
   * @throws Refusal `rate-limited` above it. Each function may admit a block of requests too many.
   */
  organization(organizationId: string, route: Route, event: APIGatewayProxyEvent): Promise<void>;
  /**
   * Asks whether a client has read units left for what lists and sums up.
   *
   * @throws Refusal `rate-limited` when they are used up.
   */
  reads(client: string, route: Route, event: APIGatewayProxyEvent): Promise<void>;
  /** Tells what such a request has read. */
  spend(event: APIGatewayProxyEvent, units: number): Promise<void>;
}

/** How the operator has set them. */
export interface BoundSettings {
  /** On every limit. */
  readonly factor: number;
  /** On a client's limit gives an organization's ceiling; 0: there is none. */
  readonly organizationFactor: number;
  /** The ceiling of this route, requests per minute; null: as the factor has it. */
  readonly organizationLimit: number | null;
  /** Read units of a client a minute, before `factor`; 0: as many as it likes. */
  readonly readUnits: number;
}

export const bounds = (sums: MinuteSums, settings: BoundSettings): Bounds => {
  const readers = new WeakMap<APIGatewayProxyEvent, string>();
  const mostUnits = Math.ceil(settings.readUnits * settings.factor);

  return {
    organization: async (organizationId, route, event) => {
      const perMinute = limitOf(route);
      const limit = perMinute === undefined ? null : ceilingOf(route, factored(perMinute, settings.factor), settings);
      if (limit === null) return;
      const { known, seconds } = await sums.add(`organization#${organizationId}#${route.id}`, 1, limit);
      const isOver = known > limit;
      noteRate(event, { policy: "organization", limit, window: 60, left: isOver ? { remaining: 0, seconds } : null });
      if (isOver) throw tooMany(`Rate limit of the organization exceeded: ${limit} per minute.`, seconds);
    },

    reads: async (client, route, event) => {
      if (mostUnits === 0 || !readsMuch(route)) return;
      const key = `${client}#reads`;
      const { known, seconds } = await sums.look(key);
      if (known >= mostUnits)
        throw tooMany(
          `Read budget used up: lists and analytics may read ${mostUnits} units of DynamoDB per minute and client.`,
          seconds,
        );
      readers.set(event, key);
    },

    spend: async (event, units) => {
      const key = readers.get(event);
      if (key !== undefined && units > 0) await sums.add(key, units, mostUnits);
    },
  };
};
