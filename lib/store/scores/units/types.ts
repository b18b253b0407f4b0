import { scoreDataTypes, type ScoreDataType } from "../../../domain/scores/score.ts";
import type { Database } from "../../../dynamo/database.ts";
import { facetCounts, sumMatching } from "../../totals/facets.ts";
import { fitsFacet, scoreCountsPartition, scoresOfName } from "../counts.ts";
import type { ScoreTarget } from "../keys.ts";

/**
 * Returns a function that reads the data types of the successful scores of a name, from their counters: a read unit or less for
 * each kind of target. May lag writes by seconds.
 */
export const scoreTypes = (database: Database, targets: readonly ScoreTarget[], now: () => number = Date.now) => {
  const counts = facetCounts(database, now);
  return async (project: string, name: string): Promise<readonly ScoreDataType[]> => {
    const scopes = targets.map((target) => counts.ofScope(scoreCountsPartition(target, project), scoresOfName(name)));
    const sums = await Promise.all(scopes);
    return scoreDataTypes.filter((type) =>
      sums.some((sum) => sumMatching(sum, fitsFacet({ data_type: type, status: "SUCCESS" })) > 0),
    );
  };
};

/** True if there are scores of these types, and none of them has a number. */
export const lackNumbers = (types: readonly ScoreDataType[]): boolean =>
  types.length > 0 && types.every((type) => type === "CATEGORICAL");

/** Returns a function that warns if a figure, rule or order is to rest on numbers, or categories, and no score has one. */
export const valueCheck = (database: Database, targets: readonly ScoreTarget[] = ["trace", "session"]) => {
  const typesOf = scoreTypes(database, targets);
  return async (
    project: string,
    name: string | null | undefined,
    warn: (text: string) => void,
    needsCategories = false,
  ): Promise<void> => {
    if (name == null) return;
    const types = await typesOf(project, name);
    if (needsCategories && types.length > 0 && !types.includes("CATEGORICAL"))
      warn(`No score of ${name} is a category: the rule counts CATEGORICAL scores only.`);
    if (!needsCategories && lackNumbers(types))
      warn(`All scores of ${name} are categories, which have no number: nothing can be computed or sorted by them.`);
  };
};
