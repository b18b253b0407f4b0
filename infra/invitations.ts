import { Aws } from "aws-cdk-lib";
import { Construct } from "constructs";
import { eventSource, mostEvents } from "../lib/events/service-event.ts";
import { newInvitationFilters } from "../lib/stream/new-invitation.ts";
import { variables } from "../lib/wiring/environment.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";

/**
 * Puts an event on the account's default bus, or the operator's own, for each new invitation: a rule of the operator's lets it reach people. The
 * table's stream is the outbox, so no accepted invitation is forgotten.
 */
export class Invitations extends Construct {
  /** @param deadLetters where records go that were given up. */
  constructor(scope: Construct, id: string, parts: StackParts, deadLetters: DeadLetters) {
    super(scope, id);
    const { worker } = new StreamWorker(this, "Announce", parts, {
      handler: "workers/announce-invitations",
      description: "Puts an event on the bus for each new invitation",
      impact: "Invitations were made without their event, so nobody may have told who is invited.",
      memory: 256,
      // Four attempts of a call to the bus, 5 s each, and their pauses.
      timeout: 60,
      grants: { access: ["GetItem", "BatchGetItem"] },
      table: parts.data.table("access"),
      filters: newInvitationFilters,
      batchSize: mostEvents,
      retryAttempts: 50,
      reportsFailures: true,
      deadLetters,
    });
    const { eventBus } = parts.settings;
    if (eventBus !== undefined) worker.function.addEnvironment(variables.eventBus, eventBus);
    // The key has a value for each event of a call. No value at all would satisfy the first condition.
    worker.allowWhen(
      { "ForAllValues:StringEquals": { "events:source": eventSource }, Null: { "events:source": "false" } },
      ["events:PutEvents"],
      eventBus?.startsWith("arn:") === true
        ? eventBus
        : `arn:${Aws.PARTITION}:events:${Aws.REGION}:${Aws.ACCOUNT_ID}:event-bus/${eventBus ?? "default"}`,
    );
  }
}
