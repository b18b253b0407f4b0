import { isCategorySignal } from "../../domain/alerts/rule.ts";
import type { AlertSettings } from "../../domain/alerts/fields.ts";
import type { Database } from "../../dynamo/database.ts";
import { customMetricStore } from "../../store/metrics/custom-metrics.ts";
import { valueCheck } from "../../store/scores/units/types.ts";
import { unknownNameNote } from "../metrics/unknown-score.ts";

/** Returns a function that looks up what is to be said about the scores that a rule watches: that there are none, or none that fit. The reply has it as warnings, too. */
export const alertNotes = (database: Database) => {
  const [checkValues, noteOf] = [valueCheck(database), unknownNameNote(database, customMetricStore(database))];
  return async (
    project: string,
    { metric_name: metric, signal }: Pick<AlertSettings, "metric_name" | "signal">,
    warn: (text: string) => void = () => undefined,
  ): Promise<readonly string[]> => {
    const notes: string[] = [];
    await checkValues(project, metric, (text) => notes.push(text), isCategorySignal(signal));
    const unknown = await noteOf(project, metric);
    if (unknown !== null) notes.push(unknown);
    for (const note of notes) warn(note);
    return notes;
  };
};
