import * as v from "valibot";
import type { Context, DynamoDBStreamEvent } from "aws-lambda";
import { required, variables } from "../../lib/wiring/environment.ts";
import { jsonSetting } from "../../lib/wiring/json-setting.ts";
import { clientsPlanParameter } from "../../lib/gateway-keys/client.ts";
import { controlPlane, controlPlaneClient } from "../../lib/gateway-keys/control-plane.ts";
import { gatewayKeyLook } from "../../lib/gateway-keys/reconcile.ts";
import { gatewayKeySync, mostGatewayKeys } from "../../lib/gateway-keys/sync.ts";
import { parameterReader, parameterStore } from "../../lib/parameters/parameters.ts";
import { connect } from "../../lib/store/database.ts";
import { clientHolders } from "../../lib/store/access/clients/client-holders.ts";
import { clientStates } from "../../lib/store/access/clients/client-states.ts";
import { gatewayKeyStore } from "../../lib/store/access/clients/gateway-keys.ts";
import { invitationExpiries } from "../../lib/store/access/invitation-expiry.ts";
import { leftSignIns } from "../../lib/store/access/left-sign-ins.ts";
import { accessScan } from "../../lib/store/access/scan.ts";
import { deletionEntries } from "../../lib/store/deletion/entries.ts";
import { cursorStore } from "../../lib/store/cursor.ts";
import { clientChange } from "../../lib/stream/client-change.ts";
import { asksForReconciliation } from "../../lib/stream/reconciliation.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";
import { besideOthers } from "../../lib/upkeep/beside-others.ts";
import { expiryLook } from "../../lib/upkeep/expire-invitations.ts";
import { accessPlace, accessReconciliation, itemsOfPage } from "../../lib/upkeep/reconcile-access.ts";

const stage = required(variables.stage);
const parameter = parameterReader(parameterStore(), Date.now);

const planId = async (): Promise<string> => {
  const id = await parameter(clientsPlanParameter(stage));
  if (id === undefined) throw new Error("The stack has not stored the id of the clients' usage plan.");
  return id;
};

const tags = v.parse(v.optional(v.record(v.string(), v.string())), jsonSetting(variables.gatewayKeyTags));
const database = connect();
const sync = gatewayKeySync(
  gatewayKeyStore(database, mostGatewayKeys),
  controlPlane(controlPlaneClient(), planId, undefined, tags),
  stage,
);
const [holders, states] = [clientHolders(database), clientStates(database)];
const reconcile = besideOthers(
  accessReconciliation({
    scan: accessScan(database, itemsOfPage),
    cursor: cursorStore(database, accessPlace),
    looks: [
      gatewayKeyLook({ holders, states, sync, most: mostGatewayKeys }),
      expiryLook(invitationExpiries(database)),
      deletionEntries(database).look,
      leftSignIns(database),
    ],
    now: Date.now,
  }),
);

export const handler = withStreamLag(
  "sync-gateway-keys",
  async ({ Records }: DynamoDBStreamEvent, context: Pick<Context, "getRemainingTimeInMillis">): Promise<void> => {
    const isMark = Records.map(asksForReconciliation);
    for (const record of Records.filter((_, at) => isMark[at] !== true)) await sync.apply(clientChange(record));
    // Last: a batch that fails comes again as a whole.
    if (isMark.includes(true)) await reconcile(context.getRemainingTimeInMillis());
  },
);
