import { mapConcurrently } from "../../async/concurrency.ts";
import { derivedUuid } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import { labelItemId, labellerKey, type PersonLabels, type LabelItem } from "../../domain/labels/label-set.ts";
import { itemsIn } from "../../domain/labels/queue.ts";
import { labelPasses } from "../../domain/labels/scale.ts";
import { noMasking } from "../../domain/masking/rules.ts";
import { submittedScore } from "../../domain/scores/submitted-score.ts";
import type { Database } from "../../dynamo/database.ts";
import { scoreCreation } from "../scores/creation.ts";
import type { StoredSet } from "./codec.ts";
import { labelSetStore } from "./sets.ts";

/** Labels whose scores are stored before the set notes how far it is. */
const labelsOfPart = 200;

/** Scores stored at the same time. */
const parallel = 10;

/** Publishes the labels of sets that are being closed, as scores by people. */
export const labelPublishing = (database: Database, now: () => number = Date.now) => {
  const [sets, scores] = [labelSetStore(database), scoreCreation(database, now)];

  /**
   * Stores the scores of an item's labels by one person. Their ids follow from set, item, person and metric, so that each is stored once.
   *
   * @returns the number of stored scores; null if the trace changed or was deleted.
   */
  const publishLabels = async ({ settings }: StoredSet, place: number, item: LabelItem, labels: PersonLabels) => {
    const { id: set, projectId, metrics } = settings;
    const { labeller, values, note } = labels;
    const labelledMetrics = metrics.flatMap(({ name, scale }) => {
      const value = values[name];
      return value === undefined ? [] : [{ name, value, scale }];
    });
    const stored = await mapConcurrently(labelledMetrics, 1, async ({ scale, ...value }) => {
      const { data_type, threshold } = scale;
      const success = labelPasses(scale, value.value);
      // Without them a person's score would take its trace out of the pass rate.
      const verdict: { readonly threshold?: number; readonly success?: boolean } = {
        ...(threshold !== null && { threshold }),
        ...(success !== null && { success }),
      };
      const metadata = { label_set_id: set, labeller: { ...labeller }, ...verdict };
      const sent = { ...value, data_type, source: "ANNOTATION", reason: note, metadata } as const;
      const score = submittedScore(sent, {
        id: derivedUuid("label-score", set, labelItemId(set, place), labellerKey(labeller), value.name),
        // The notes were masked when they arrived.
        project: { id: projectId, masking: noMasking },
        author: labeller.type === "USER" ? labeller.id : null,
        at: instantAt(now()),
      });
      const target = { trace_id: item.traceId, config_id: null, span_id: null };
      return scores.ofTrace({ ...score, ...target }, undefined, true, item);
    });
    return stored.includes(null) ? null : stored.length;
  };

  /** Publishes the next part of a set. @returns false if it is not being closed any more. */
  const publishPart = async (project: string, id: string): Promise<boolean> => {
    const set = await sets.get(project, id);
    if (set === null || set.state.status !== "CLOSING") return false;
    const { publishedTo: from, queue } = set.state;
    const to = Math.min(itemsIn(queue), from + Math.floor(labelsOfPart / queue.width));
    const [items, labels] = [await sets.items(project, id, from, to), await sets.labels(project, id, from, to)];
    const pairs = items.flatMap((item, at) =>
      (labels.get(from + at) ?? []).map((each) => [from + at, item, each] as const),
    );
    const counts = await mapConcurrently(pairs, parallel, (pair) => publishLabels(set, ...pair));
    const isLast = to === itemsIn(queue);
    await sets.change(project, id, ({ state }) => {
      // Another request or the sweep has published the same part.
      if (state.status !== "CLOSING" || state.publishedTo !== from) return { result: null };
      return {
        result: null,
        state: {
          ...state,
          status: isLast ? "CLOSED" : "CLOSING",
          closedAt: isLast ? instantAt(now()) : null,
          publishedTo: to,
          publishedCount: state.publishedCount + counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
          unpublishedCount: state.unpublishedCount + counts.filter((count) => count === null).length,
        },
      };
    });
    return !isLast;
  };

  /** Publishes parts of a set until all are published, or until a time in epoch milliseconds. */
  const publish = async (project: string, id: string, until: number): Promise<void> => {
    while (now() < until && (await publishPart(project, id)));
  };

  return { publish };
};
