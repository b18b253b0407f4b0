import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { awsClient } from "../aws/aws-client.ts";
import { eventSource, type ServiceEvent } from "./service-event.ts";

/** An event bus. */
export interface EventBus {
  /**
   * Puts events on the bus, at most `mostEvents`.
   *
   * @returns why the bus did not take an event, each at the event's place; null for what it took. Codes, not messages:
   *   those may quote the event.
   */
  put(events: readonly ServiceEvent[]): Promise<readonly (string | null)[]>;
}

/** @param name of the bus, or its ARN; the account's default one when absent. */
export const eventBus = (client: EventBridgeClient = awsClient(EventBridgeClient), name?: string): EventBus => ({
  put: async (events) => {
    if (events.length === 0) return [];
    const entries = events.map(({ detailType, detail, time }) => ({
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
