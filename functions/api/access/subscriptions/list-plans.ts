import { listPlans } from "../../../../lib/contract/access/subscriptions.ts";
import { plan } from "../../../../lib/domain/access/subscription.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";

export const handler = endpoint(listPlans, environmentUserGuard(connect()), async () => Array.of(plan));
