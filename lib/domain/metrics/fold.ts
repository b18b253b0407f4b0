import { isObject, toDouble, type Json, type JsonObject } from "../json.ts";

/** How many scores become one. */
const foldings = ["min", "mean", "share_below"] as const;

/** A session's score out of scores of its traces: no judge is asked. */
export interface Fold {
  /** Name of the traces' scores. */
  readonly over: string;
  readonly by: (typeof foldings)[number];
  /** For `share_below`: what a score has to reach. Null for others. */
  readonly below: number | null;
}

/** What a fold says of a session: null where none of its traces has a score. */
export interface Folded {
  readonly value: number | null;
  readonly reason: string;
  readonly details: JsonObject;
}

/** Characters of a score's name, and traces that details name. */
const [longestName, mostNamed] = [255, 20] as const;

type Found = (path: readonly (string | number)[], msg: string) => void;

const isFolding = (given: Json | undefined): given is Fold["by"] => foldings.some((each) => each === given);

/** A fold out of data; null where `found` was told what is wrong. */
export const readFold = (given: Json | undefined, found: Found): Fold | null => {
  if (!isObject(given)) {
    found([], "Input should be a valid dictionary");
    return null;
  }
  const flaws: (readonly [string, string])[] = Object.keys(given)
    .filter((key) => !["over", "by", "below"].includes(key))
    .map((key) => [key, "Known here are: over, by, below"]);
  const { over, by } = given;
  const below = toDouble(given["below"] ?? null);
  const isOver = typeof over === "string" && over !== "" && over.length <= longestName;
  if (!isOver)
    flaws.push(["over", `Input should be the name of a score of traces, of at most ${longestName} characters`]);
  if (!isFolding(by)) flaws.push(["by", `Input should be one of ${foldings.join(", ")}`]);
  const isShare = typeof below === "number" && below >= 0 && below <= 1;
  if (by === "share_below" && !isShare) flaws.push(["below", "Input should be a number from 0 to 1"]);
  if (by !== "share_below" && below !== null) flaws.push(["below", "Only share_below has it"]);
  for (const [key, msg] of flaws) found([key], msg);
  if (flaws.length > 0 || !isOver || !isFolding(by)) return null;
  return { over, by, below: isShare ? below : null };
};

/** What of a session is folded. */
export interface FoldedScores {
  /** By trace id, oldest first: of a long session its newest traces. Null where a trace has no score that counts. */
  readonly scores: ReadonlyMap<string, number | null>;
  /** Traces that the session has. */
  readonly inSession: number;
  /** Traces of which only the newest scores were looked at, and none of them counts. */
  readonly partlyRead: number;
}

/** Exact for scores of four places, whatever their number. */
const mean = (values: readonly number[]): number => {
  const sum = values.reduce((total, value) => total + Math.round(value * 10_000), 0);
  return sum / (values.length * 10_000);
};

/** One score of the scores of a session's traces. Higher is better: of `share_below` it is the share that is not below. */
export const folded = ({ over, by, below }: Fold, { scores, inSession, partlyRead }: FoldedScores): Folded => {
  const known = [...scores].flatMap(([trace, value]) => (value === null ? [] : [{ trace, value }]));
  const leftOut = inSession - scores.size;
  const counts = {
    traces_in_session: inSession,
    ...(leftOut > 0 && { traces_left_out: leftOut }),
    ...(partlyRead > 0 && { traces_partly_read: partlyRead }),
    traces_scored: known.length,
  };
  const fold = { over, by, ...(below !== null && { below }) };
  const unread = partlyRead > 0 ? ` Of ${partlyRead} of them only the newest scores were looked at.` : "";
  if (known.length === 0) {
    const whose = leftOut > 0 ? `newest ${scores.size} of ${inSession} traces` : "traces";
    const reason =
      inSession === 0 ? "The session has no traces." : `None of the session's ${whose} has a usable score of ${over}.`;
    return { value: null, reason: reason + unread, details: { fold, ...counts } };
  }
  const values = known.map(({ value }) => value);
  const ascending = known.toSorted((a, b) => a.value - b.value);
  const asked = leftOut > 0 ? `the newest ${scores.size} of ${inSession} traces` : `${scores.size} traces`;
  const of = `${known.length} of ${asked} ${known.length === 1 ? "has" : "have"} a score of ${over}`;
  const told = (value: number, clause: string, named: readonly (typeof known)[number][]): Folded => ({
    value,
    reason: `${of}; ${clause}.${unread}`,
    details: {
      fold,
      ...counts,
      traces: named.slice(0, mostNamed).map(({ trace, value: score }) => ({ trace_id: trace, value: score })),
      ...(named.length > mostNamed && { left_out: named.length - mostNamed }),
    },
  });
  switch (by) {
    case "min": {
      const lowest = ascending[0]?.value ?? 0;
      const ofLowest = ascending.filter(({ value }) => value === lowest);
      return told(lowest, `the lowest is ${lowest}, of trace ${ofLowest[0]?.trace}`, ofLowest);
    }
    case "mean":
      return told(mean(values), "the score is their mean", ascending);
    case "share_below": {
      const under = ascending.filter(({ value }) => value < (below ?? 0));
      const share = 1 - under.length / known.length;
      return told(share, `${under.length} of them ${under.length === 1 ? "is" : "are"} below ${below}`, under);
    }
    default:
      return by satisfies never;
  }
};
