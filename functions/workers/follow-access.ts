import * as v from "valibot";
import type { Context, DynamoDBStreamEvent } from "aws-lambda";
import { awaitAll } from "../../lib/async/concurrency.ts";
import { announceInvitations } from "../../lib/invitations/announce.ts";
import { invitationStore } from "../../lib/store/access/invitations.ts";
import { organizationStore } from "../../lib/store/access/organizations.ts";
import { unannouncedInvitations } from "../../lib/store/access/unannounced-invitations.ts";
import { userStore } from "../../lib/store/access/users.ts";
import { isInvitation, newInvitations } from "../../lib/stream/new-invitation.ts";
import { required, variables } from "../../lib/wiring/environment.ts";
import { environmentEventBus, environmentEventSource } from "../../lib/wiring/events.ts";
import { jsonSetting } from "../../lib/wiring/json-setting.ts";
import { clientsPlanParameter } from "../../lib/gateway-keys/client.ts";
import { controlPlane, controlPlaneClient } from "../../lib/gateway-keys/control-plane.ts";
import { followClients } from "../../lib/gateway-keys/follow-clients.ts";
import { findGatewayKeyRepairs } from "../../lib/gateway-keys/reconcile.ts";
import { gatewayKeySync, maxGatewayKeys } from "../../lib/gateway-keys/sync.ts";
import { parameterReader, parameterStore } from "../../lib/parameters/parameters.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { clientHolders } from "../../lib/store/access/clients/client-holders.ts";
import { clientStates } from "../../lib/store/access/clients/client-states.ts";
import { gatewayKeyStore } from "../../lib/store/access/clients/gateway-keys.ts";
import { postponeClients } from "../../lib/store/access/clients/postponed-clients.ts";
import { orphanedSignInKeys } from "../../lib/store/access/orphaned-sign-in-keys.ts";
import { accessScan } from "../../lib/store/access/scan.ts";
import { cursorStore } from "../../lib/dynamo/cursor.ts";
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
const { announce, findUnannounced } = announceInvitations({
  source: environmentEventSource(),
  invitations: invitationStore(database),
  organizations: organizationStore(database),
  users: userStore(database),
  unannounced: unannouncedInvitations(database),
  bus: environmentEventBus(),
  now: Date.now,
});
const [holders, states] = [clientHolders(database), clientStates(database, plan)];
const reconcile = isolatedPass((until: number) =>
  accessReconciliation({
    scan: accessScan(database, accessPageSize),
    cursor: cursorStore(database, accessCursor),
    checks: [
      findGatewayKeyRepairs({ holders, states, sync, plan, maxKeys: maxGatewayKeys, now: Date.now }),
      orphanedSignInKeys(database),
      findUnannounced,
    ],
    now: Date.now,
  })(until),
);

const syncClients = followClients({ sync, holders, postpone: postponeClients(database), now: Date.now });

/**
 * Announces new invitations, creates and deletes API Gateway keys of clients, and reconciles all of them on request, from the
 * records of a table stream. One reader does all, so that the second one stays free; what one part cannot do is left to the
 * reconciliation, so that it neither stops nor repeats the others.
 */
export const handler = withStreamLag(
  "follow-access",
  async ({ Records }: DynamoDBStreamEvent, context: Pick<Context, "getRemainingTimeInMillis">): Promise<void> => {
    const clients = Records.filter((record) => !isInvitation(record) && !isReconciliationRequest(record));
    await awaitAll([announce(newInvitations(Records)), syncClients(clients)]);
    if (Records.some(isReconciliationRequest)) await reconcile(context.getRemainingTimeInMillis());
  },
);
