import type { DynamoDBStreamEvent } from "aws-lambda";
import { required, variables } from "../../lib/wiring/environment.ts";
import { clientsPlanParameter } from "../../lib/gateway-keys/client.ts";
import { controlPlane, controlPlaneClient } from "../../lib/gateway-keys/control-plane.ts";
import { gatewayKeySync, mostGatewayKeys } from "../../lib/gateway-keys/sync.ts";
import { parameterReader, parameterStore } from "../../lib/parameters/parameters.ts";
import { connect } from "../../lib/store/database.ts";
import { gatewayKeyStore } from "../../lib/store/access/gateway-keys.ts";
import { clientChange } from "../../lib/stream/client-change.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";

const stage = required(variables.stage);
const parameter = parameterReader(parameterStore(), Date.now);

const planId = async (): Promise<string> => {
  const id = await parameter(clientsPlanParameter(stage));
  if (id === undefined) throw new Error("The stack has not stored the id of the clients' usage plan.");
  return id;
};

const sync = gatewayKeySync(
  gatewayKeyStore(connect(), mostGatewayKeys),
  controlPlane(controlPlaneClient(), planId),
  stage,
);

export const handler = withStreamLag("sync-gateway-keys", async (event: DynamoDBStreamEvent): Promise<void> => {
  for (const record of event.Records) await sync(clientChange(record));
});
