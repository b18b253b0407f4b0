import { listPlans } from "../../../../lib/contract/access/subscriptions.ts";
import { plan } from "../../../../lib/domain/access/subscription.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { connect } from "../../../../lib/store/database.ts";

export const handler = endpoint(listPlans, environmentUserGate(connect()), async () => Array.of(plan));
