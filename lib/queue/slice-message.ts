import * as v from "valibot";

/** Queue message: a run slice is due. It holds ids only; the work is described in the database. */
export interface SliceMessage {
  readonly project: string;
  readonly run: string;
  readonly slice: string;
}

const message = v.object({ v: v.literal(1), project: v.string(), run: v.string(), slice: v.string() });

export const writeSliceMessage = (slice: SliceMessage): string => JSON.stringify({ v: 1, ...slice });

/** Parses a slice message. @throws Error if the text is not a slice message of a known version. */
export const readSliceMessage = (text: string): SliceMessage => {
  const { project, run, slice } = v.parse(message, JSON.parse(text));
  return { project, run, slice };
};
