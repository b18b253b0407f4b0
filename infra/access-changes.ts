import { Construct } from "constructs";
import { clientChangeFilters } from "../lib/stream/client-change.ts";
import { reconciliationFilters } from "../lib/stream/reconciliation.ts";
import type { DeadLetters } from "./functions/dead-letters.ts";
import type { StackParts } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";
import type { Worker } from "./functions/worker.ts";

/**
 * The worker of the access table's stream: it puts an event for each new invitation on the account's default event bus, or on the bus of
 * the setting `eventBus`, whose rule passes it to a mailer; and it keeps the gateway keys of clients. The stream is the outbox: no
 * stored invitation is skipped. There is no alarm on its lag: clients use the shared key meanwhile.
 */
export class AccessChanges extends Construct {
  readonly worker: Worker;

  /** @param deadLetters queue for stream records whose processing failed for good. */
  constructor(scope: Construct, id: string, parts: StackParts, deadLetters: DeadLetters) {
    super(scope, id);
    // The id of an earlier worker: with another one an upgrade would add a reader, and announce the invitations of a day again.
    const { worker } = new StreamWorker(this, "Announce", parts, {
      handler: "workers/follow-access",
      description: "Announces invitations on the event bus, and keeps the gateway keys of clients",
      impact:
        "Invitations have no event: the invited people may not know of them. A client stays on the shared gateway key, or the gateway key of a deleted client remains, until the hourly reconciliation: within hours.",
      memory: 256,
      // Seconds: four attempts of a call to the bus, 5 s each, and pauses; beside them at most 12 for clients; a reconciliation takes 60.
      timeout: 120,
      grants: {
        access: {
          GetItem: ["client", "invitation", "organization", "reconciliation"],
          BatchGetItem: ["client", "gatewayKeys", "key", "organization", "user"],
          PutItem: ["client", "reconciliation"],
          UpdateItem: ["client", "gatewayKeys", "key"],
          DeleteItem: ["client", "gatewayKeys"],
        },
      },
      table: parts.data.table("access"),
      filters: [...clientChangeFilters, ...reconciliationFilters],
      // Most changes are of clients, each a moment's work for the batch: what it has no time for comes again at the end of the stream.
      batchSize: 100,
      retryAttempts: 50,
      deadLetters,
    });
    this.worker = worker;
  }
}
