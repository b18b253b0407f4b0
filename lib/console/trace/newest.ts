interface Judged {
  readonly name: string;
  readonly created_at: string;
}

/** The newest score of each name, and those that were before it, the newest first. */
export const newestOfEach = <Score extends Judged>(
  scores: readonly Score[],
): readonly { readonly score: Score; readonly earlier: readonly Score[] }[] =>
  [...Map.groupBy(scores, ({ name }) => name).values()].flatMap((own) => {
    const [score, ...earlier] = own.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
    return score === undefined ? [] : [{ score, earlier }];
  });
