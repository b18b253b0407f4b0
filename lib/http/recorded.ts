import type { APIGatewayProxyEvent } from "aws-lambda";
import { sealText, unsealText } from "../domain/access/sealed-text.ts";
import { Refusal } from "../domain/refusal.ts";
import { otherBody } from "../domain/repeat.ts";
import type { RepeatRecords } from "../store/limits/repeat-records.ts";
import type { ReplyWriter } from "./reply-writer.ts";
import { noteRepeated, type Recorded } from "./repeat-key.ts";

/** The answer of a request that came before, as it was written. */
export class Replayed {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** How a request is answered that makes nothing by which it would be known. */
export interface Recording<Answer> {
  /** A request that was begun and not answered is nobody else's meanwhile: longer than a gateway waits. 0: anybody's, at once. */
  readonly lease: number;
  /** Whether an answer is the last word, to be given again; else the same request is worked on again. */
  readonly keeps?: (answer: Answer) => boolean;
  /** The refusal of a request whose answer may be given once. */
  readonly secret?: () => Refusal;
}

/** Longer than a function works on a request. */
export const leaseMilliseconds = 35_000;

const underWay = (): Refusal =>
  new Refusal({ kind: "unavailable", detail: "The same request is being worked on. Try again in a moment." });

/** What is to come again may have done something. */
const cameToNothing = (error: unknown): boolean =>
  error instanceof Refusal && error.reason.kind !== "unavailable" && error.reason.kind !== "rate-limited";

/**
 * Answers a request once: sent again within a day it gets the same answer, and nothing is done.
 *
 * @param write writes the answer, as it is sent and kept.
 * @throws Refusal `invalid` when its key came with another body, `unavailable` while it is worked on elsewhere.
 */
export const recorded = async <Answer>(
  event: APIGatewayProxyEvent,
  records: RepeatRecords,
  { id, bodyHash, secret: seal }: Recorded,
  { lease, keeps = () => true, secret }: Recording<Answer>,
  work: () => Promise<Answer>,
  write: ReplyWriter,
): Promise<Answer | Replayed> => {
  const begun = await records.begin(id, bodyHash, lease);
  if (begun.kind === "other-body") throw otherBody();
  if (begun.kind === "under-way") throw underWay();
  if (begun.kind === "answered") {
    if (secret !== undefined) throw secret();
    noteRepeated(event);
    return new Replayed(unsealText(seal, begun.answer));
  }
  try {
    const answer = await work();
    if (keeps(answer))
      await records.end(id, sealText(seal, secret === undefined && answer !== undefined ? write(answer) : ""));
    return answer;
  } catch (error) {
    if (cameToNothing(error)) await records.forget(id, bodyHash);
    throw error;
  }
};
