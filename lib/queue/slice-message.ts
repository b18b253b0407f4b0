import * as v from "valibot";

/** One slice of a run to be judged. Carries no data: what there is to do stands in the database. */
export interface SliceMessage {
  readonly project: string;
  readonly run: string;
  readonly slice: string;
}

const message = v.object({ v: v.literal(1), project: v.string(), run: v.string(), slice: v.string() });

export const writeSliceMessage = (slice: SliceMessage): string => JSON.stringify({ v: 1, ...slice });

/** @throws when a text is no slice message of a version this code knows. */
export const readSliceMessage = (text: string): SliceMessage => {
  const { project, run, slice } = v.parse(message, JSON.parse(text));
  return { project, run, slice };
};
