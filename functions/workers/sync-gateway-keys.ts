import * as v from "valibot";
import type { Context, DynamoDBStreamEvent } from "aws-lambda";
import { required, variables } from "../../lib/wiring/environment.ts";
import { jsonSetting } from "../../lib/wiring/json-setting.ts";
import { clientsPlanParameter } from "../../lib/gateway-keys/client.ts";
import { controlPlane, controlPlaneClient } from "../../lib/gateway-keys/control-plane.ts";
import { findGatewayKeyRepairs } from "../../lib/gateway-keys/reconcile.ts";
import { gatewayKeySync, maxGatewayKeys } from "../../lib/gateway-keys/sync.ts";
import { parameterReader, parameterStore } from "../../lib/parameters/parameters.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { clientHolders } from "../../lib/store/access/clients/client-holders.ts";
import { clientStates } from "../../lib/store/access/clients/client-states.ts";
import { gatewayKeyStore } from "../../lib/store/access/clients/gateway-keys.ts";
import { orphanedSignInKeys } from "../../lib/store/access/orphaned-sign-in-keys.ts";
import { accessScan } from "../../lib/store/access/scan.ts";
import { cursorStore } from "../../lib/dynamo/cursor.ts";
import { clientChange } from "../../lib/stream/client-change.ts";
import { isReconciliationRequest } from "../../lib/stream/reconciliation.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";
import { isolatedPass } from "../../lib/maintenance/isolated-pass.ts";
import { accessCursor, accessReconciliation, accessPageSize } from "../../lib/maintenance/reconcile-access.ts";

const stage = required(variables.stage);
const plan = required(variables.usagePlan);
const parameter = parameterReader(parameterStore(), Date.now);

const planId = async (): Promise<string> => {
  const id = await parameter(clientsPlanParameter(stage));
  if (id === undefined) throw new Error("The stack has not stored the id of the clients' usage plan.");
  return id;
};

const tags = v.parse(v.record(v.string(), v.string()), jsonSetting(variables.gatewayKeyTags));
const database = connect();
const sync = gatewayKeySync(
  gatewayKeyStore(database, plan, maxGatewayKeys),
  controlPlane(controlPlaneClient(), planId, undefined, tags),
  stage,
);
const [holders, states] = [clientHolders(database), clientStates(database, plan)];
const reconcile = isolatedPass((until: number) =>
  accessReconciliation({
    scan: accessScan(database, accessPageSize),
    cursor: cursorStore(database, accessCursor),
    checks: [
      findGatewayKeyRepairs({ holders, states, sync, plan, maxKeys: maxGatewayKeys, now: Date.now }),
      orphanedSignInKeys(database),
    ],
    now: Date.now,
  })(until),
);

/** Creates, updates and deletes API Gateway keys of clients from a table stream, and reconciles all of them on request. */
export const handler = withStreamLag(
  "sync-gateway-keys",
  async ({ Records }: DynamoDBStreamEvent, context: Pick<Context, "getRemainingTimeInMillis">): Promise<void> => {
    const isReconciliation = Records.map(isReconciliationRequest);
    for (const record of Records.filter((_, at) => isReconciliation[at] !== true))
      await sync.apply(clientChange(record));
    // Reconciliation comes last, because a failed batch is delivered again as a whole.
    if (isReconciliation.includes(true)) await reconcile(context.getRemainingTimeInMillis());
  },
);
