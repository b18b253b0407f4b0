import { mapConcurrently } from "../../async/concurrency.ts";
import { correctionOf, type Correction, type JudgeVerdict } from "../../domain/labels/correction.ts";
import { invalid } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import { trustStore } from "../../store/labels/trust.ts";

/** Names of scores whose rates one request corrects, and those whose labels are read concurrently. */
const [maxNames, parallel] = [100, 10];

/** A figure that is there if a request asks for corrected rates. */
interface CorrectedFigure {
  readonly corrected?: Correction;
}

/** Adds a corrected rate to the figures of some verdicts about the traces of a project. */
export type AddCorrection = (name: string, verdicts: readonly JudgeVerdict[]) => CorrectedFigure;

/**
 * Returns a function that reads what labels say of the judges of some metrics, if a request asks for corrected rates, and returns what
 * adds these to figures; it is half a read unit for each name.
 *
 * @throws Refusal `invalid` (from the returned function) for more than 100 names.
 */
export const correctionReader = (database: Database) => {
  const trust = trustStore(database);

  return async (project: string, isRequested: boolean, names: readonly string[]): Promise<AddCorrection> => {
    if (!isRequested) return () => ({});
    if (names.length > maxNames)
      throw invalid(["query", "corrected"], `Rates of at most ${maxNames} metrics are corrected at once: name one`);
    const calibrations = new Map(
      await mapConcurrently(names, parallel, async (name) => [name, await trust.read(project, name)] as const),
    );
    return (name, verdicts) => ({ corrected: correctionOf(calibrations.get(name) ?? [], verdicts) });
  };
};
