import { Aws } from "aws-cdk-lib";
import { eventSource } from "../../lib/events/service-event.ts";
import { variables } from "../../lib/wiring/environment.ts";
import type { Settings } from "../settings/settings.ts";
import type { Worker } from "./worker.ts";

/**
 * Lets workers put the service's own events on the bus of the setting `eventBus`, or on the account's default bus.
 *
 * @param serviceUrl base URL of the service, for links in the events.
 */
export const allowEvents = (
  workers: readonly Worker[],
  { eventBus }: Pick<Settings, "eventBus">,
  serviceUrl: string,
): void => {
  for (const worker of workers) {
    worker.function.addEnvironment(variables.serviceUrl, serviceUrl);
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
};
