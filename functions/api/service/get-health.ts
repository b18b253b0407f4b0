import { getLangsmithInfo, langsmithInfo } from "../../../lib/contract/langsmith/service.ts";
import { getHealth, getHealthLangfuse } from "../../../lib/contract/service.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { required, variables } from "../../../lib/wiring/environment.ts";
import { environmentOpenGuard } from "../../../lib/wiring/access-guards.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { langsmithFormat } from "../../../lib/http/langsmith/wire-format.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";

const version = required(variables.version);
const commit = required(variables.commit);
const stage = required(variables.stage);

const guard = environmentOpenGuard();

const health = async () => ({
  status: "healthy" as const,
  version,
  commit,
  environment: stage,
  timestamp: instantAt(Date.now()),
});

/** Answers what programs ask without a key: whether the service runs, and how LangSmith's SDKs may send to it. */
export const handler = sharedEndpoint(
  endpoint(getHealth, guard, health),
  endpoint(getHealthLangfuse, guard, health),
  endpoint(getLangsmithInfo, guard, async () => langsmithInfo, langsmithFormat),
);
