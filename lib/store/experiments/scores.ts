import * as v from "valibot";
import { parseLossless, type JsonObject } from "../../domain/json.ts";
import { scoreDataTypes } from "../../domain/scores/score.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwUnavailable, withRetries } from "../../dynamo/with-retries.ts";
import { experimentScoreCountKey, experimentScoreKey, experimentScoresPartition } from "./keys.ts";

/** Max scores of an experiment's own, all of which its reply has. */
export const maxExperimentScores = 100;

const orNull = v.nullable(v.string());

const score = v.object({
  id: v.string(),
  external_id: orNull,
  name: v.string(),
  value: orNull,
  data_type: v.picklist(scoreDataTypes),
  reason: orNull,
  metadata: v.custom<JsonObject>((value) => typeof value === "object" && value !== null),
  config_id: orNull,
  created_at: v.string(),
});

/** A score of an experiment as a whole, such as a mean that a program has computed from its items. */
export type ExperimentScore = v.InferOutput<typeof score>;

const item = v.object({ d: v.string() });

const busy = throwUnavailable("The experiment is being scored by many requests. Try again.");

/** Store of the scores that experiments have of their own. They may arrive before any trace of their experiment. */
export const experimentScores = (database: Database, now: () => number = Date.now) => {
  const items = itemsOf(database, "aggregates");

  return {
    /**
     * Stores a score, which replaces one with its id.
     *
     * @param expiresAt epoch seconds after which it is gone; null if it never expires.
     * @returns false if the experiment has its maximum of scores.
     */
    put: async (
      project: string,
      experiment: string,
      sent: ExperimentScore,
      expiresAt: number | null,
    ): Promise<boolean> => {
      const ttl = expiresAt ?? undefined;
      const put = { ...experimentScoreKey(project, experiment, sent.id), d: JSON.stringify(v.parse(score, sent)), ttl };
      const failedWrites = await withRetries(requestRetryPolicy, busy, () =>
        failedConditions(
          items.transact([
            { put, when: ifAbsent },
            {
              update: experimentScoreCountKey(project, experiment),
              change: `ADD n :one${ttl === undefined ? "" : " SET #ttl = :ttl"}`,
              when: "attribute_not_exists(n) OR n < :most",
              values: { ":one": 1, ":most": maxExperimentScores, ":ttl": ttl },
            },
          ]),
        ),
      );
      if (failedWrites.has(0)) await items.put(put);
      return failedWrites.size === 0 || failedWrites.has(0);
    },

    /** Lists the scores of an experiment by name, those of one name from the oldest on; may lag by seconds. */
    list: async (project: string, experiment: string): Promise<readonly ExperimentScore[]> => {
      const stored = await items.list({
        pk: experimentScoresPartition(project),
        prefix: `${experiment}#`,
        strongly: false,
      });
      const scores = stored
        .filter((each) => isLive(each, now()))
        .map((each) => v.parse(score, parseLossless(v.parse(item, each).d)));
      const rankOf = ({ name, created_at: at }: ExperimentScore): string => `${name}\n${at}`;
      return scores.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
    },
  };
};
