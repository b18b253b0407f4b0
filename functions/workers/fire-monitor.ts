import type { SQSEvent } from "aws-lambda";
import { environmentFiring } from "../../lib/wiring/firing.ts";
import { readFiringMessage } from "../../lib/queue/firing-message.ts";
import { withQueueLag } from "../../lib/queue/queue-lag.ts";
import { connect } from "../../lib/dynamo/database.ts";

const firing = environmentFiring(connect());

/** Executes due monitors from the firing queue. SQS delivers the message again when the handler throws. */
export const handler = withQueueLag("fire-monitor", "failed", async ({ Records }: SQSEvent): Promise<void> => {
  for (const { body } of Records) await firing.fire(readFiringMessage(body));
});
