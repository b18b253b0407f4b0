import * as v from "valibot";
import { defaultOrganizationFactor, defaultReadUnits } from "../contract/limits.ts";
import { bounds, type Bounds } from "../http/guards/limits.ts";
import { numberOr, requiredNumber, variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";
import { projectLookup } from "../store/access/project-lookup.ts";
import type { Database } from "../dynamo/database.ts";
import { memberStore } from "../store/access/members.ts";
import { rateLimits } from "../store/limits/rate-limits.ts";
import { minuteSums } from "../store/limits/minute-sums.ts";
import { idempotencyRecords } from "../store/limits/idempotency-records.ts";
import { addressGuard, openGuard, verifiedGuard } from "../http/guards/public-guards.ts";
import type {
  AccessGuard,
  OrganizationCaller,
  TelemetryCaller,
  UserCaller,
  ForwardedCaller,
} from "../http/exchange.ts";
import { projectGuards } from "../http/guards/project-guard.ts";
import { firstUses } from "./first-use.ts";
import { organizationGuard } from "../http/guards/organization-guard.ts";
import { organizationStore } from "../store/access/organizations.ts";
import { userGuard } from "../http/guards/user-guard.ts";

/** Adds the operator's settings to an access guard: the allowed CORS origins, and the rate limit of this route if it is set. */
const withSettings = <Admitted extends object>(baseGuard: AccessGuard<Admitted>): AccessGuard<Admitted> => {
  const origins = v.parse(v.array(v.string()), jsonSetting(variables.allowedOrigins) ?? []);
  const guard = { ...baseGuard, origins };
  if (process.env[variables.limitPerMinute] === undefined) return guard;
  const limitPerMinute = requiredNumber(variables.limitPerMinute);
  return {
    ...guard,
    admit: (exchange) => {
      exchange.route = { ...exchange.route, limitPerMinute };
      return guard.admit(exchange);
    },
  };
};

const limitFactor = (): number => requiredNumber(variables.limitFactor);

/** Returns the request ceilings of organizations and read budgets of clients, from the environment variables of the function. */
const environmentBounds = (database: Database): Bounds =>
  bounds(minuteSums(database), {
    factor: limitFactor(),
    organizationFactor: numberOr(variables.organizationLimitFactor, defaultOrganizationFactor),
    organizationLimit: numberOr(variables.organizationLimit, null),
    readUnits: numberOr(variables.readUnits, defaultReadUnits),
  });

const environmentGuards = (database: Database) =>
  projectGuards(
    projectLookup(database),
    firstUses(),
    rateLimits(database),
    limitFactor(),
    Date.now,
    environmentBounds(database),
  );

/** Returns the access guard of data-plane routes, configured from the environment variables of the function. */
export const environmentGuard = (database: Database): AccessGuard =>
  withSettings({ ...environmentGuards(database).named, records: idempotencyRecords(database) });

/** Returns the access guard of routes for telemetry, configured from the environment variables of the function. */
export const environmentTelemetryGuard = (database: Database): AccessGuard<TelemetryCaller> =>
  withSettings({ ...environmentGuards(database).telemetry, records: idempotencyRecords(database) });

/** Returns the access guard of management routes, configured from the environment variables of the function. */
export const environmentUserGuard = (database: Database): AccessGuard<UserCaller> =>
  withSettings({
    ...userGuard(memberStore(database), rateLimits(database), limitFactor(), environmentBounds(database)),
    records: idempotencyRecords(database),
  });

/** Returns the access guard of routes about the caller's organization, configured from the environment variables of the function. */
export const environmentOrganizationGuard = (database: Database): AccessGuard<OrganizationCaller> =>
  withSettings(
    organizationGuard(organizationStore(database), memberStore(database), rateLimits(database), limitFactor()),
  );

/** Returns the access guard of a public route with a rate limit, configured from the environment variables of the function. */
export const environmentAddressGuard = (database: Database): AccessGuard<object> =>
  withSettings(addressGuard(rateLimits(database), limitFactor()));

/** Returns the access guard of a public route without a rate limit, configured from the environment variables of the function. */
export const environmentOpenGuard = (): AccessGuard<object> =>
  withSettings(openGuard(requiredNumber(variables.requestsPerSecond)));

/** Returns the access guard of a route that calls other routes with the caller's credential, configured from the environment variables of the function. */
export const environmentVerifiedGuard = (): AccessGuard<ForwardedCaller> =>
  withSettings(verifiedGuard(requiredNumber(variables.requestsPerSecond)));
