import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
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

export const sliceResendStore = (database: Database): SliceResends => {
  const runs = itemsOf(database, "runs");

  /** Changes the time at which a slice was sent, unless another writer has changed it. */
  const setSentAt = ({ slice, epoch }: StoredSlice, from: number | null, to: number | null): Promise<boolean> =>
    succeeds(
      runs.update(sliceKey(slice.projectId, slice.runId, slice.id), to === null ? "REMOVE sent" : "SET sent = :to", {
        when: `epoch = :epoch AND #state = :open AND ${from === null ? "attribute_not_exists(sent)" : "sent = :from"}`,
        values: { ":epoch": epoch, ":open": "open", ":from": from, ":to": to },
      }),
    );

  return {
    record: (slice, at) => setSentAt(slice, slice.sentAt, at),
    revert: async (slice, at) => {
      await setSentAt(slice, at, slice.sentAt);
    },
  };
};
