import * as v from "valibot";
import { parseLossless, type JsonObject } from "../../domain/json.ts";
import { scoreDataTypes } from "../../domain/scores/score.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { experimentScoreKey, experimentScoresPartition } from "./keys.ts";

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

/** Store of the scores that experiments have of their own. They may arrive before any trace of their experiment. */
export const experimentScores = (database: Database) => {
  const items = itemsOf(database, "aggregates");
  const ofExperiment = (project: string, experiment: string) => ({
    pk: experimentScoresPartition(project),
    prefix: `${experiment}#`,
  });

  return {
    /** Stores a score, which replaces one with its id. @returns false if the experiment has its maximum of scores. */
    put: async (project: string, experiment: string, sent: ExperimentScore): Promise<boolean> => {
      const key = experimentScoreKey(project, experiment, sent.id);
      const existing = await items.list({ ...ofExperiment(project, experiment), attributes: "sk" });
      if (existing.length >= maxExperimentScores && !existing.some(({ sk }) => sk === key.sk)) return false;
      await items.put({ ...key, d: JSON.stringify(v.parse(score, sent)) });
      return true;
    },

    /** Lists the scores of an experiment by name, those of one name from the oldest on; may lag by seconds. */
    list: async (project: string, experiment: string): Promise<readonly ExperimentScore[]> => {
      const stored = await items.list({ ...ofExperiment(project, experiment), strongly: false });
      const scores = stored.map((each) => v.parse(score, parseLossless(v.parse(item, each).d)));
      const rankOf = ({ name, created_at: at }: ExperimentScore): string => `${name}\n${at}`;
      return scores.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
    },
  };
};
