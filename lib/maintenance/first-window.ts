import { previewRanges } from "../domain/alerts/preview.ts";
import type { AlertRule } from "../domain/alerts/rule.ts";
import { faultFields, logLine } from "../log.ts";
import { isTooManyRows, type pastWindows } from "../store/alerts/past-windows.ts";
import type { AlertSums } from "../store/alerts/sums.ts";

/** Traces or scores that are read at most for the last full window before a new rule, and the window that it is compared with. */
export const maxFirstReads = 100_000;

/**
 * Returns a function that computes the sums of the last full window before a new rule from rows, and stores them.
 *
 * @returns null, or in a sentence why they were not computed.
 */
export const firstWindow =
  (read: ReturnType<typeof pastWindows>, sums: Pick<AlertSums, "store">) =>
  async (rule: AlertRule): Promise<string | null> => {
    try {
      await sums.store(rule, await read(rule.projectId, rule.settings, previewRanges(rule.settings, [rule.anchor])));
      return null;
    } catch (error) {
      const begin = "The last window before the rule was not evaluated: ";
      if (isTooManyRows(error))
        return `${begin}with the one that it is compared with it has more than ${maxFirstReads.toLocaleString("en")} traces or scores.`;
      logLine("first_window_failed", { alert_id: rule.id, ...faultFields(error) });
      return `${begin}its traces or scores could not be read.`;
    }
  };
