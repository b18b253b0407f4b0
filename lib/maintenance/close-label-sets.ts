import { faultFields, logLine } from "../log.ts";
import type { labelPublishing } from "../store/labels/publish.ts";
import type { LabelSetStore } from "../store/labels/sets.ts";

/**
 * Publishes the labels of sets that are being closed, of which the request has published the first part. One that fails leaves the others
 * their turn.
 *
 * @throws the first error, after all sets.
 */
export const closeLabelSets = async (
  sets: Pick<LabelSetStore, "closing">,
  { publish }: ReturnType<typeof labelPublishing>,
  milliseconds: number,
  now: () => number = Date.now,
): Promise<{ readonly closed_label_sets: number }> => {
  const until = now() + milliseconds;
  const failures: unknown[] = [];
  let closed = 0;
  for await (const { project, set } of sets.closing()) {
    if (now() >= until) break;
    try {
      await publish(project, set, until);
      closed += 1;
    } catch (error) {
      logLine("label_set_not_closed", { ...faultFields(error), label_set_id: set });
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return { closed_label_sets: closed };
};
