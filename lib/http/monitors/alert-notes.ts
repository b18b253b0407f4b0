import { isCategorySignal } from "../../domain/alerts/rule.ts";
import type { AlertSettings } from "../../domain/alerts/fields.ts";
import type { Database } from "../../dynamo/database.ts";
import { scoreTypes, valueNote } from "../../store/scores/units/types.ts";
import { unknownNameNote } from "../metrics/unknown-score.ts";

/**
 * Returns a function that looks up what is to be said about the scores that a rule watches: that there are none, or none that fit. The
 * reply has it as warnings, too. Counters of scores may lag writes by seconds.
 */
export const alertNotes = (database: Database) => {
  const [typesOf, unknownNote] = [scoreTypes(database, ["trace", "session"]), unknownNameNote(database)];
  return async (
    project: string,
    { metric_name: name, signal }: Pick<AlertSettings, "metric_name" | "signal">,
    warn: (text: string) => void = () => undefined,
  ): Promise<readonly string[]> => {
    if (name === null) return [];
    const types = await typesOf(project, name);
    const hasScores = types.length > 0;
    const note = hasScores ? valueNote(name, types, isCategorySignal(signal)) : await unknownNote(project, name);
    if (note === null) return [];
    warn(note);
    return [note];
  };
};
