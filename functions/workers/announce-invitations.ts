import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from "aws-lambda";
import { required, variables } from "../../lib/wiring/environment.ts";
import { eventBus } from "../../lib/events/event-bus.ts";
import { announceInvitations } from "../../lib/invitations/announce.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { invitationStore } from "../../lib/store/access/invitations.ts";
import { organizationStore } from "../../lib/store/access/organizations.ts";
import { userStore } from "../../lib/store/access/users.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";

const database = connect();

const announce = announceInvitations({
  stage: required(variables.stage),
  invitations: invitationStore(database),
  organizations: organizationStore(database),
  users: userStore(database),
  bus: eventBus(undefined, process.env[variables.eventBus]),
  now: Date.now,
});

/** Publishes EventBridge events for new invitations, from the records of a table stream. */
export const handler = withStreamLag(
  "announce-invitations",
  (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => announce(event.Records),
);
