import * as v from "valibot";
import type { Route } from "../contract/route.ts";
import { defaultOrganizationFactor, defaultReadUnits } from "../contract/limits.ts";
import { bounds, type Bounds } from "../http/limits/bounds.ts";
import { numberOr, requiredNumber, variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";
import { projectsOfCallers } from "../store/access/projects-of-callers.ts";
import type { Database } from "../store/database.ts";
import { memberStore } from "../store/access/members.ts";
import { rateLimits } from "../store/limits/rate-limits.ts";
import { minuteSums } from "../store/limits/minute-sums.ts";
import { meterReads } from "../store/read-meter.ts";
import { repeatRecords } from "../store/limits/repeat-records.ts";
import { addressGate, openGate } from "../http/public-gates.ts";
import { projectGate, type Gate } from "../http/gate.ts";
import { firstUses } from "./first-use.ts";
import { organizationGate, type OrganizationCaller } from "../http/organization-gate.ts";
import { organizationStore } from "../store/access/organizations.ts";
import { userGate, type UserCaller } from "../http/user-gate.ts";

const origins = v.parse(v.array(v.string()), jsonSetting(variables.allowedOrigins) ?? []);

/** A gate with what the operator sets of every route: whose pages may read replies, and this one's own limit where there is one. */
const withSettings = <Admitted extends object>(given: Gate<Admitted>): Gate<Admitted> => {
  const gate = { ...given, origins };
  if (process.env[variables.limitPerMinute] === undefined) return gate;
  const limitPerMinute = requiredNumber(variables.limitPerMinute);
  return { ...gate, admit: (event, route: Route) => gate.admit(event, { ...route, limitPerMinute }) };
};

const limitFactor = (): number => requiredNumber(variables.limitFactor);

/** What clients and organizations are held to beside limits of requests, as this function's environment sets it up. */
const environmentBounds = (database: Database): Bounds => {
  meterReads(database);
  return bounds(minuteSums(database), {
    factor: limitFactor(),
    organizationFactor: numberOr(variables.organizationLimitFactor, defaultOrganizationFactor),
    organizationLimit: numberOr(variables.organizationLimit, null),
    readUnits: numberOr(variables.readUnits, defaultReadUnits),
  });
};

/** The data plane's gate as this function's environment sets it up. */
export const environmentGate = (database: Database): Gate => {
  const own = environmentBounds(database);
  return withSettings({
    ...projectGate(projectsOfCallers(database), firstUses(), rateLimits(database), limitFactor(), Date.now, own),
    records: repeatRecords(database),
    bounds: own,
  });
};

/** The management routes' gate as this function's environment sets it up. */
export const environmentUserGate = (database: Database): Gate<UserCaller> =>
  withSettings({
    ...userGate(memberStore(database), rateLimits(database), limitFactor(), environmentBounds(database)),
    records: repeatRecords(database),
  });

/** The gate of routes about what a caller reaches, as this function's environment sets it up. */
export const environmentOrganizationGate = (database: Database): Gate<OrganizationCaller> =>
  withSettings(
    organizationGate(organizationStore(database), memberStore(database), rateLimits(database), limitFactor()),
  );

/** The gate of a public route with a limit, as this function's environment sets it up. */
export const environmentAddressGate = (database: Database): Gate<object> =>
  withSettings(addressGate(rateLimits(database), limitFactor()));

/** The gate of a public route without one, as this function's environment sets it up. */
export const environmentOpenGate = (): Gate<object> =>
  withSettings(openGate(requiredNumber(variables.requestsPerSecond)));
