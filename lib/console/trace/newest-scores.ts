import {
  countingScore,
  giverOf,
  rankOfScore,
  type RankedScore,
  type ScoreGiver,
} from "../../domain/scores/precedence.ts";
import type { Score } from "../../domain/scores/score.ts";

type NamedScore = RankedScore & Pick<Score, "id" | "name" | "created_at">;

/** Groups scores by metric name: the score of each that counts, and its others, newest first. */
export const newestByName = <S extends NamedScore>(
  scores: readonly S[],
): readonly { readonly score: S; readonly earlierScores: readonly S[] }[] =>
  [...Map.groupBy(scores, ({ name }) => name).values()].flatMap((sameName) => {
    const newestFirst = sameName.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
    const newestOf = (giver: ScoreGiver): S | null =>
      newestFirst.find(({ source }) => giverOf(source) === giver) ?? null;
    const score = countingScore({ person: newestOf("person"), program: newestOf("program") }, rankOfScore);
    return score === null ? [] : [{ score, earlierScores: newestFirst.filter((each) => each !== score) }];
  });
