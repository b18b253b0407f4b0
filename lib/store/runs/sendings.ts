import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../database.ts";
import { succeeds } from "../failure.ts";
import { sliceKey } from "./keys.ts";
import type { StoredSlice } from "./slice-codec.ts";

/** When slices were sent to the judges again. */
export interface Sendings {
  /**
   * Notes that a slice is sent at an instant, epoch milliseconds.
   *
   * @param seen as it was when that was decided.
   * @returns false when it was claimed, ended or sent since then: it is not to be sent.
   */
  note(seen: StoredSlice, at: number): Promise<boolean>;
  /** Takes the note of an instant back: the slice could not be sent. */
  takeBack(seen: StoredSlice, at: number): Promise<void>;
}

export const sendingStore = ({ client, table }: Database): Sendings => {
  /** Changes when a slice was sent, as long as nobody else has. */
  const change = ({ slice, epoch }: StoredSlice, from: number | null, to: number | null): Promise<boolean> =>
    succeeds(
      client.send(
        new UpdateCommand({
          TableName: table("runs"),
          Key: sliceKey(slice.projectId, slice.runId, slice.id),
          UpdateExpression: to === null ? "REMOVE sent" : "SET sent = :to",
          ConditionExpression: `epoch = :epoch AND #state = :open AND ${from === null ? "attribute_not_exists(sent)" : "sent = :from"}`,
          ExpressionAttributeNames: { "#state": "state" },
          ExpressionAttributeValues: {
            ":epoch": epoch,
            ":open": "open",
            ...(from === null ? {} : { ":from": from }),
            ...(to === null ? {} : { ":to": to }),
          },
        }),
      ),
    );

  return {
    note: (seen, at) => change(seen, seen.sentAt, at),
    takeBack: async (seen, at) => {
      await change(seen, at, seen.sentAt);
    },
  };
};
