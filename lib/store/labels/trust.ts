import { hash } from "node:crypto";
import * as v from "valibot";
import type { JudgeCalibration } from "../../domain/labels/correction.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwUnavailable, tryAgain, withRetries } from "../../dynamo/with-retries.ts";

/** What labels said of a metric's judge. */
export interface RecordedTrust extends JudgeCalibration {
  /** Judge as the request named it, by its version or id; null for any. */
  readonly judge: string | null;
}

/** Most results of a metric that are kept, the newest. */
const maxRecorded = 20;

const count = v.number();

const trustItem = v.object({
  rev: v.number(),
  d: v.pipe(
    v.string(),
    v.parseJson(),
    v.array(
      v.object({
        judge: v.nullable(v.string()),
        judges: v.array(v.string()),
        isRandom: v.boolean(),
        confusion: v.object({ tp: count, fp: count, fn: count, tn: count }),
      }),
    ),
  ),
});

/** Key of the results of a metric, beside the label sets of the project; by a hash, since a sort key has at most 1,024 bytes. */
const trustKey = (project: string, metric: string) => ({
  pk: `${project}#label-sets`,
  sk: `trust#${hash("sha256", metric, "base64url")}`,
});

/** Store of what labels said of judges, by metric: the newest result of each judge, of random items and of others. */
export const trustStore = (database: Database) => {
  const stored = itemsOf(database, "monitors");

  const read = async (project: string, metric: string, strongly: boolean) => {
    const item = await stored.get(trustKey(project, metric), { strongly });
    return item === undefined ? { rev: 0, d: [] } : v.parse(trustItem, item);
  };

  return {
    /** Reads the results of a metric, the newest first; they may lag writes by a second. */
    read: async (project: string, metric: string): Promise<readonly RecordedTrust[]> =>
      (await read(project, metric, false)).d,

    /** Records a result instead of an earlier one of the same judge. @throws Refusal `unavailable` if many do. */
    record: (project: string, metric: string, trust: RecordedTrust): Promise<void> =>
      withRetries(
        requestRetryPolicy,
        throwUnavailable("The metric is being measured by many requests. Try again."),
        async () => {
          const { rev, d } = await read(project, metric, true);
          const others = d.filter(({ judge, isRandom }) => judge !== trust.judge || isRandom !== trust.isRandom);
          const results = [trust, ...others].slice(0, maxRecorded);
          const write = stored.put(
            { ...trustKey(project, metric), rev: rev + 1, d: JSON.stringify(results) },
            rev === 0 ? { when: ifAbsent } : { when: "rev = :rev", values: { ":rev": rev } },
          );
          return (await succeeds(write)) ? undefined : tryAgain;
        },
      ),
  };
};
