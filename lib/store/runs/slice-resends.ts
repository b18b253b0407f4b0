import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { sliceKey } from "./keys.ts";
import type { StoredSlice } from "./slice-codec.ts";

/** Records when the sweeper (the scheduled maintenance function) sent slices to the queue again. */
export interface SliceResends {
  /**
   * Records that a slice is sent at an instant, epoch milliseconds.
   *
   * @param slice state of the slice at the decision.
   * @returns false when the slice was claimed, finished or sent since then: it must not be sent.
   */
  record(slice: StoredSlice, at: number): Promise<boolean>;
  /** Removes the record of a resend at that instant, because the slice could not be sent. */
  revert(slice: StoredSlice, at: number): Promise<void>;
}

export const sliceResendStore = ({ client, table }: Database): SliceResends => {
  /** Changes the time at which a slice was sent, unless another writer has changed it. */
  const setSentAt = ({ slice, epoch }: StoredSlice, from: number | null, to: number | null): Promise<boolean> =>
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
    record: (slice, at) => setSentAt(slice, slice.sentAt, at),
    revert: async (slice, at) => {
      await setSentAt(slice, at, slice.sentAt);
    },
  };
};
