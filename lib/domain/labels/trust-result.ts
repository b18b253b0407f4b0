import type { Instant } from "../instant.ts";
import type { Cell } from "./confusion.ts";
import type { judgeWorth } from "./judge-worth.ts";

/** Items that a trust result is about: all, or those of one half by a hash of the trace's id. */
export const halves = ["all", "dev", "test"] as const;

/** What a judge is worth on the labels of a set, in the API's spelling. */
export interface TrustResult extends ReturnType<typeof judgeWorth> {
  readonly metric: string;
  readonly judge: string | null;
  readonly half: (typeof halves)[number];
  readonly cannot_tell: number;
  readonly is_test: boolean;
  readonly disagreements: {
    readonly item_id: string;
    readonly trace_id: string;
    readonly cell: Cell;
    readonly label: string;
    readonly verdict: string;
    readonly link: string;
  }[];
  readonly computed_at: Instant;
}
