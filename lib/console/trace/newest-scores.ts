interface DatedScore {
  readonly name: string;
  readonly created_at: string;
  readonly source: string;
  readonly stale: boolean | null;
  /** Present in scores of traces only. */
  readonly trace_version?: number | null;
}

/** 1 for a person's score of a trace that has not changed since, which counts before later ones; else 0. */
const precedence = ({ source, stale, trace_version: version }: DatedScore): number =>
  Number(source === "ANNOTATION" && stale === false && version != null);

/** Groups scores by metric name: the score of each that counts, and its others, newest first. */
export const newestByName = <Score extends DatedScore>(
  scores: readonly Score[],
): readonly { readonly score: Score; readonly earlierScores: readonly Score[] }[] =>
  [...Map.groupBy(scores, ({ name }) => name).values()].flatMap((sameName) => {
    const [score, ...earlierScores] = sameName.toSorted(
      (a, b) => precedence(b) - precedence(a) || (a.created_at < b.created_at ? 1 : -1),
    );
    return score === undefined ? [] : [{ score, earlierScores }];
  });
