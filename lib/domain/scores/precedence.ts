import type { Score, ScoreSource } from "./score.ts";

/** Fields of a score that decide whether it counts beside another one of the same name and target. */
export interface RankedScore {
  readonly source: ScoreSource;
  /** Version of the trace's row; absent or null for a session, and if unknown. */
  readonly trace_version?: number | null;
  /** Version of the trace's content, which labels such as tags do not change. */
  readonly content_version?: number | null;
}

/** Who gives scores: persons, or judges and programs. Of each the newest score of a name is known. */
export const scoreGivers = ["person", "program"] as const;
export type ScoreGiver = (typeof scoreGivers)[number];

/** Returns who gave a score of a source. */
export const giverOf = (source: ScoreSource): ScoreGiver => (source === "ANNOTATION" ? "person" : "program");

/**
 * Returns the version by which a score is compared with one of the other giver. A person saw all content up to the row's
 * version. The content of scores without its version may be as new as the row.
 */
export const rankedVersion = ({ source, trace_version = null, content_version = null }: RankedScore): number | null =>
  giverOf(source) === "person" ? trace_version : (content_version ?? trace_version);

/** The place of a score among those of its name: the version that it is compared by, and its order by creation. */
export interface ScoreRank {
  readonly version: number | null;
  readonly order: string;
}

/** Returns the rank of a score. */
export const rankOfScore = (score: RankedScore & Pick<Score, "id" | "created_at">): ScoreRank => ({
  version: rankedVersion(score),
  order: `${score.created_at}#${score.id}`,
});

/**
 * Returns the newest score that counts: the person's unless it is about older content of the trace, and the later one if
 * one of the versions is unknown.
 *
 * @param newest newest score of each giver; null for none.
 */
export const countingScore = <Score>(
  { person, program }: Readonly<Record<ScoreGiver, Score | null>>,
  rankOf: (score: Score) => ScoreRank,
): Score | null => {
  if (person === null || program === null) return person ?? program;
  const [ofPerson, ofProgram] = [rankOf(person), rankOf(program)];
  const isPersonFirst =
    ofPerson.version === null || ofProgram.version === null
      ? ofPerson.order > ofProgram.order
      : ofPerson.version >= ofProgram.version;
  return isPersonFirst ? person : program;
};
