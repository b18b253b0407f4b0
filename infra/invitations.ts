import { Aws } from "aws-cdk-lib";
import { Construct } from "constructs";
import { eventSource, maxEventsPerCall } from "../lib/events/service-event.ts";
import { newInvitationFilters } from "../lib/stream/new-invitation.ts";
import { variables } from "../lib/wiring/environment.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";

/**
 * Worker that puts an event for each new invitation on the account's default event bus, or on the bus of the setting `eventBus`;
 * a rule of the operator passes the event to a mailer. The table's stream is the outbox: no stored invitation is skipped.
 */
export class Invitations extends Construct {
  /** @param deadLetters queue for stream records whose processing failed for good. */
  constructor(scope: Construct, id: string, parts: StackParts, deadLetters: DeadLetters) {
    super(scope, id);
    const { worker } = new StreamWorker(this, "Announce", parts, {
      handler: "workers/announce-invitations",
      description: "Puts an event on the bus for each new invitation",
      impact: "Invitations were created without an event, so the invited people may not have been notified.",
      memory: 256,
      // Seconds: four attempts of a call to the bus, 5 s each, and pauses.
      timeout: 60,
      grants: { access: { GetItem: ["invitation"], BatchGetItem: ["organization", "user"] } },
      table: parts.data.table("access"),
      filters: newInvitationFilters,
      batchSize: maxEventsPerCall,
      retryAttempts: 50,
      reportsFailures: true,
      deadLetters,
    });
    const { eventBus } = parts.settings;
    if (eventBus !== undefined) worker.function.addEnvironment(variables.eventBus, eventBus);
    // The condition key has a value for each event of a call. A call without a value would satisfy the first condition alone.
    worker.allowWhen(
      { "ForAllValues:StringEquals": { "events:source": eventSource }, Null: { "events:source": "false" } },
      ["events:PutEvents"],
      eventBus?.startsWith("arn:") === true
        ? eventBus
        : `arn:${Aws.PARTITION}:events:${Aws.REGION}:${Aws.ACCOUNT_ID}:event-bus/${eventBus ?? "default"}`,
    );
  }
}
