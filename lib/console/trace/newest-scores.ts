interface DatedScore {
  readonly name: string;
  readonly created_at: string;
}

/** Groups scores by metric name: the newest score of each, and its earlier ones, newest first. */
export const newestByName = <Score extends DatedScore>(
  scores: readonly Score[],
): readonly { readonly score: Score; readonly earlierScores: readonly Score[] }[] =>
  [...Map.groupBy(scores, ({ name }) => name).values()].flatMap((sameName) => {
    const [score, ...earlierScores] = sameName.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
    return score === undefined ? [] : [{ score, earlierScores }];
  });
