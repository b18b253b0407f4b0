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

/** Returns what is to be said if a figure, rule or order rests on numbers, or categories, and no score of the name has one; null if one has. */
export const valueNote = (name: string, types: readonly ScoreDataType[], needsCategories = false): string | null => {
  if (needsCategories && types.length > 0 && !types.includes("CATEGORICAL"))
    return `No score of ${name} is a category: the rule counts CATEGORICAL scores only.`;
  return !needsCategories && lackNumbers(types)
    ? `All scores of ${name} are categories, which have no number: nothing can be computed or sorted by them.`
    : null;
};

/** Returns a function that warns of an order by scores without a number. */
export const sortValueCheck = (database: Database, target: ScoreTarget) => {
  const typesOf = scoreTypes(database, [target]);
  return async (project: string, name: string | undefined, warn: (text: string) => void): Promise<void> => {
    const note = name === undefined ? null : valueNote(name, await typesOf(project, name));
    if (note !== null) warn(note);
  };
};
