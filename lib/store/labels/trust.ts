import { hash } from "node:crypto";
import * as v from "valibot";
import type { JudgeCalibration } from "../../domain/labels/correction.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf, type Write } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwUnavailable, tryAgain, withRetries } from "../../dynamo/with-retries.ts";
import { labelSetKey } from "./keys.ts";

const busy = throwUnavailable("The metric is being measured by many requests. Try again.");

/** Most results of a metric that are kept, the newest. */
const maxRecorded = 50;

const count = v.number();

const trustItem = v.object({
  rev: v.number(),
  d: v.pipe(
    v.string(),
    v.parseJson(),
    v.array(
      v.object({
        judge: v.string(),
        set: v.string(),
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

/** Store of what labels said of judges, by metric: the newest result of each judge and label set. */
export const trustStore = (database: Database) => {
  const stored = itemsOf(database, "monitors");

  const read = async (project: string, metric: string, strongly: boolean) => {
    const item = await stored.get(trustKey(project, metric), { strongly });
    return item === undefined ? { rev: 0, d: [] } : v.parse(trustItem, item);
  };

  /** Replaces the results of a metric. @param checks conditions of other items. @returns false once one of these fails. */
  const change = (
    project: string,
    metric: string,
    changed: (results: readonly JudgeCalibration[]) => readonly JudgeCalibration[],
    checks: readonly Write[] = [],
  ): Promise<boolean> =>
    withRetries(requestRetryPolicy, busy, async () => {
      const { rev, d } = await read(project, metric, true);
      const put = { ...trustKey(project, metric), rev: rev + 1, d: JSON.stringify(changed(d).slice(0, maxRecorded)) };
      const condition = rev === 0 ? { when: ifAbsent } : { when: "rev = :rev", values: { ":rev": rev } };
      const failedWrites = await failedConditions(stored.transact([{ put, ...condition }, ...checks]));
      if (failedWrites.size === 0) return true;
      return failedWrites.has(0) ? tryAgain : false;
    });

  return {
    /** Reads the results of a metric, the newest first; they may lag writes by a second. */
    read: async (project: string, metric: string): Promise<readonly JudgeCalibration[]> =>
      (await read(project, metric, false)).d,

    /** Records results about judges of a set instead of its earlier ones, unless it is being deleted. @throws Refusal `unavailable` if many do. */
    record: (project: string, metric: string, set: string, results: readonly Omit<JudgeCalibration, "set">[]) => {
      const judges = new Set(results.map(({ judge }) => judge));
      return change(
        project,
        metric,
        (earlier) => [
          ...results.map((result) => ({ ...result, set })),
          ...earlier.filter((each) => each.set !== set || !judges.has(each.judge)),
        ],
        [{ check: labelSetKey(project, set), when: "attribute_exists(pk) AND attribute_not_exists(x)" }],
      );
    },

    /** Removes the results of a set that is being deleted. */
    forget: async (project: string, metric: string, set: string): Promise<void> => {
      if ((await read(project, metric, true)).d.some((each) => each.set === set))
        await change(project, metric, (earlier) => earlier.filter((each) => each.set !== set));
    },
  };
};
