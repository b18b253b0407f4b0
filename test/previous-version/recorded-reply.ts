import type { Asker } from "./people.ts";

/** A recorded reply to a GET request. */
export interface RecordedReply extends Asker {
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}
