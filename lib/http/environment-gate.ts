import { requiredNumber, variables } from "../environment.ts";
import { accessStore } from "../store/access.ts";
import type { Database } from "../store/database.ts";
import { rateLimits } from "../store/rate-limits.ts";
import { userStore } from "../store/users.ts";
import { projectGate, type Gate } from "./gate.ts";

/** The data plane's gate as this function's environment sets it up. */
export const environmentGate = (database: Database): Gate => {
  const gate = projectGate(
    accessStore(database, requiredNumber(variables.maxProjects)),
    userStore(database),
    rateLimits(database),
    requiredNumber(variables.limitFactor),
  );
  if (process.env[variables.limitPerMinute] === undefined) return gate;
  const limitPerMinute = requiredNumber(variables.limitPerMinute);
  return { admit: (event, route) => gate.admit(event, { ...route, limitPerMinute }) };
};
