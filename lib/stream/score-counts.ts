import type { DynamoDBRecord } from "aws-lambda";
import * as v from "valibot";
import { scoreDataTypes, scoreSources, scoreStatuses } from "../domain/scores/score.ts";
import type { CounterChange } from "../store/counters.ts";
import { expiryOf } from "../store/expiry.ts";
import {
  allScores,
  anyScore,
  scoreCountsPartition,
  scoreFacet,
  scoresOfDay,
  scoresOfName,
  scoresOfRun,
} from "../store/scores/counts.ts";
import { instantOfOrder, runOfPartition, targetOfKey } from "../store/scores/keys.ts";
import { facetChanges, type CountedItem } from "./facet-changes.ts";

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

/** What a score counts for; null of one that a previous version has listed. */
const countedOf = (found: Image): CountedItem | null => {
  if (found?.["time_key"] === undefined) return null;
  const { pk, n, st, so, dt, order_key: order, run_key: run, ttl } = v.parse(image, found);
  const project = pk.S.slice(0, pk.S.indexOf("#"));
  const shared = {
    partition: scoreCountsPartition(targetOfKey(pk.S), project),
    expiry: expiryOf(ttl === undefined ? undefined : Number(ttl.N)),
  };
  const facet = scoreFacet({ status: st.S, source: so.S, data_type: dt.S });
  const inScope = (scope: string) => ({ ...shared, scope, facet });
  return {
    project,
    facets: [
      inScope(allScores),
      inScope(scoresOfName(n.S)),
      ...(run === undefined ? [] : [inScope(scoresOfRun(runOfPartition(run.S)))]),
      { ...shared, scope: scoresOfDay(instantOfOrder(order.S)), facet: anyScore },
    ],
  };
};

/** What a record of the scores' stream says of the numbers of scores. */
export const scoreCounts = ({ dynamodb }: DynamoDBRecord): readonly CounterChange[] => {
  const sequence = dynamodb?.SequenceNumber;
  if (sequence === undefined) throw new Error("The record has no sequence number.");
  return facetChanges(countedOf(dynamodb?.OldImage), countedOf(dynamodb?.NewImage), BigInt(sequence));
};
