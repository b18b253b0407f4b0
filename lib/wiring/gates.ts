import type { Route } from "../contract/route.ts";
import { requiredNumber, variables } from "./environment.ts";
import { projectsOfCallers } from "../store/access/projects-of-callers.ts";
import type { Database } from "../store/database.ts";
import { memberStore } from "../store/access/members.ts";
import { rateLimits } from "../store/limits/rate-limits.ts";
import { repeatRecords } from "../store/limits/repeat-records.ts";
import { addressGate } from "../http/address-gate.ts";
import { projectGate, type Gate } from "../http/gate.ts";
import { firstUses } from "./first-use.ts";
import { organizationGate, type OrganizationCaller } from "../http/organization-gate.ts";
import { organizationStore } from "../store/access/organizations.ts";
import { userGate, type UserCaller } from "../http/user-gate.ts";

/** A gate with the operator's own limit of this function's route, where there is one. */
const withOwnLimit = <Admitted extends object>(gate: Gate<Admitted>): Gate<Admitted> => {
  if (process.env[variables.limitPerMinute] === undefined) return gate;
  const limitPerMinute = requiredNumber(variables.limitPerMinute);
  return { ...gate, admit: (event, route: Route) => gate.admit(event, { ...route, limitPerMinute }) };
};

const limitFactor = (): number => requiredNumber(variables.limitFactor);

/** The data plane's gate as this function's environment sets it up. */
export const environmentGate = (database: Database): Gate =>
  withOwnLimit({
    ...projectGate(projectsOfCallers(database), firstUses(), rateLimits(database), limitFactor()),
    records: repeatRecords(database),
  });

/** The management routes' gate as this function's environment sets it up. */
export const environmentUserGate = (database: Database): Gate<UserCaller> =>
  withOwnLimit({
    ...userGate(memberStore(database), rateLimits(database), limitFactor()),
    records: repeatRecords(database),
  });

/** The gate of routes about what a caller reaches, as this function's environment sets it up. */
export const environmentOrganizationGate = (database: Database): Gate<OrganizationCaller> =>
  withOwnLimit(
    organizationGate(organizationStore(database), memberStore(database), rateLimits(database), limitFactor()),
  );

/** The gate of a public route with a limit, as this function's environment sets it up. */
export const environmentAddressGate = (database: Database): Gate<object> =>
  addressGate(rateLimits(database), limitFactor());
