import type { DynamoDBRecord } from "aws-lambda";
import * as v from "valibot";
import { scoreDataTypes, scoreSources, scoreStatuses } from "../domain/scores/score.ts";
import type { CounterChange } from "../store/totals/counters.ts";
import { countedScore } from "../store/scores/counts.ts";
import { facetChanges } from "./facet-changes.ts";

const text = v.object({ S: v.string() });
const image = v.object({
  pk: text,
  n: text,
  st: v.object({ S: v.picklist(scoreStatuses) }),
  so: v.object({ S: v.picklist(scoreSources) }),
  dt: v.object({ S: v.picklist(scoreDataTypes) }),
  order_key: text,
  run_key: v.optional(text),
  ttl: v.optional(v.object({ N: v.string() })),
});

type Image = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

/** Returns the facets of a score; null for an item that is in no list, a copy of a score. */
const countedOf = (recordImage: Image) => {
  if (recordImage?.["time_key"] === undefined) return null;
  const { pk, n, st, so, dt, order_key, run_key, ttl } = v.parse(image, recordImage);
  return countedScore({
    pk: pk.S,
    name: n.S,
    status: st.S,
    source: so.S,
    data_type: dt.S,
    order: order_key.S,
    run: run_key?.S,
    ttl: ttl === undefined ? undefined : Number(ttl.N),
  });
};

/** Converts a stream record of the scores table to changes of the score counters. */
export const scoreCounts = ({ dynamodb }: DynamoDBRecord): readonly CounterChange[] => {
  const sequence = dynamodb?.SequenceNumber;
  if (sequence === undefined) throw new Error("The record has no sequence number.");
  return facetChanges(countedOf(dynamodb?.OldImage), countedOf(dynamodb?.NewImage), BigInt(sequence));
};
