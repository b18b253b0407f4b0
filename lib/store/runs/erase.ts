import * as v from "valibot";
import { epochOf } from "../../domain/instant.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { eraseItems, erasePartition, keyPages, type Erase } from "../erase-items.ts";
import { eraseBudget } from "../spend/erase.ts";
import { creating } from "./codec.ts";
import { createdAtOfOrder, deletedRunsPartition, openPartition, runListPartition } from "./keys.ts";
import { sliceKeys } from "./slice-removal.ts";

/** Longer than any function lives that could still put slices for a run that it creates. */
const creationMilliseconds = 16 * 60_000;

const runItem = v.object({ pk: v.string(), status: v.string(), order_key: v.string() });

/**
 * A project's runs with their slices and what is noted of their cost: those that are listed, those that were deleted and
 * those that are being created. One of the latter keeps its item until its creator is gone: its slices are found by it.
 */
export const eraseRuns = (database: Database, now: () => number = Date.now): Erase => {
  const eraseRun = async function* (pk: string): AsyncGenerator<number> {
    yield await eraseBudget(database, pk);
    yield* erasePartition(database, "spend", pk);
    yield* erasePartition(database, "runs", pk, "run");
  };

  const eraseOpen = async function* (project: string): AsyncGenerator<number> {
    for await (const open of keyPages(database, "runs", openPartition, { name: "open", key: "open_key" })) {
      const own = open.filter(({ pk }) => String(pk).startsWith(`${project}#`));
      for (const item of await batchGet(database, "runs", own)) {
        const { pk, status, order_key: order } = v.parse(runItem, item);
        const isYoung = status === creating && now() - epochOf(createdAtOfOrder(order)) < creationMilliseconds;
        const [, , run = ""] = pk.split("#");
        if (isYoung) yield 1 + (await eraseItems(database, "runs", await sliceKeys(database, project, run)));
        else yield* eraseRun(pk);
      }
    }
  };

  return async function* (project) {
    const lists = [...targetTypes.map((type) => runListPartition(project, type)), deletedRunsPartition(project)];
    for (const list of lists) {
      for await (const runs of keyPages(database, "runs", list, { name: "by-created", key: "list_key" }))
        for (const { pk } of runs) yield* eraseRun(String(pk));
    }
    // Of all projects: open runs are few. What is listed went above.
    yield* eraseOpen(project);
  };
};
