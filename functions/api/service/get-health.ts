import { getHealth } from "../../../lib/contract/service.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { required, variables } from "../../../lib/wiring/environment.ts";
import { environmentOpenGuard } from "../../../lib/wiring/access-guards.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

const version = required(variables.version);
const commit = required(variables.commit);
const stage = required(variables.stage);

export const handler = endpoint(getHealth, environmentOpenGuard(), async () => ({
  status: "healthy" as const,
  version,
  commit,
  environment: stage,
  timestamp: instantAt(Date.now()),
}));
