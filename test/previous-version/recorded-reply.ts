import type { Asker } from "./people.ts";

/** What was answered to a GET. */
export interface RecordedReply extends Asker {
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}
