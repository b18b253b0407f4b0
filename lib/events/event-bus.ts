import type { PutEventsRequestEntry } from "@aws-sdk/client-eventbridge";
import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { awsClient } from "../aws/aws-client.ts";
import { eventSource, type ServiceEvent } from "./service-event.ts";

/** EventBridge event bus. */
export interface EventBus {
  /**
   * Publishes events, at most `maxEventsPerCall`.
   *
   * @returns an error code for each event, null for accepted ones. Codes without messages, because those may quote the event.
   */
  put(events: readonly ServiceEvent[]): Promise<readonly (string | null)[]>;
}

/** Creates the access to an event bus. @param name name or ARN of the bus; absent for the default bus of the account. */
export const eventBus = (client: EventBridgeClient = awsClient(EventBridgeClient), name?: string): EventBus => ({
  put: async (events) => {
    if (events.length === 0) return [];
    const entries = events.map(({ detailType, detail, time }): PutEventsRequestEntry => ({
      ...(name !== undefined && { EventBusName: name }),
      Source: eventSource,
      DetailType: detailType,
      Detail: JSON.stringify(detail),
      Time: new Date(time),
    }));
    const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: entries }));
    return events.map((_, position) => {
      const { EventId, ErrorCode } = Entries[position] ?? {};
      return ErrorCode ?? (EventId === undefined ? "NoAnswer" : null);
    });
  },
});
