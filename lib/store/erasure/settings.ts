import * as v from "valibot";
import { userMatcher } from "../../domain/access/pseudonym.ts";
import { parseLossless } from "../../domain/json.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { keyPages, type Erase } from "../../dynamo/erase-items.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";
import type { TableName } from "../../dynamo/table.ts";
import type { ErasedTraces } from "./erased-traces.ts";
import { monitorListPartition } from "../monitors/keys.ts";
import { blankHeldJudgements } from "../runs/held-judgements.ts";
import { deletedRunsPartition, runListPartition } from "../runs/keys.ts";
import { rulesOf } from "../alerts/keys.ts";

const ofUser = v.looseObject({ filters: v.looseObject({ user_id: v.string() }) });
const stored = v.union([ofUser, v.looseObject({ settings: ofUser })]);
const storedItem = v.object({ pk: v.string(), sk: v.string(), d: v.string() });
const runItem = v.object({ pk: v.string() });

/** Returns what is stored of a run, a monitor or an alert rule with the user's pseudonym in its filters; null if these do not name the user. */
const withPseudonym = (text: string, pseudonym: string, isOfUser: (userId: string) => boolean): string | null => {
  const { success, output } = v.safeParse(stored, parseLossless(text));
  if (!success) return null;
  const owner = "settings" in output ? v.parse(ofUser, output.settings) : v.parse(ofUser, output);
  if (!isOfUser(owner.filters.user_id)) return null;
  const renamed = { ...owner, filters: { ...owner.filters, user_id: pseudonym } };
  return JSON.stringify("settings" in output ? { ...output, settings: renamed } : renamed);
};

const renamer = (database: Database, table: TableName, project: string, pseudonym: string) => {
  const isOfUser = userMatcher(project, pseudonym);
  /** @returns the number of renamed items. */
  return async (items: readonly Item[]): Promise<number> => {
    let renamed = 0;
    for (const item of items) {
      const { success, output } = v.safeParse(storedItem, item);
      const after = success ? withPseudonym(output.d, pseudonym, isOfUser) : null;
      if (!success || after === null) continue;
      const { pk, sk, d } = output;
      // A change by somebody else at the same time is read by the next pass.
      const change = { when: "d = :d", values: { ":d": d, ":after": after } };
      await ifConditionHolds(itemsOf(database, table).update({ pk, sk }, "SET d = :after", change));
      renamed += 1;
    }
    return renamed;
  };
};

/** Puts the pseudonym in place of the user in the filters of alert rules and monitors, which then match nobody. */
export const eraseSettingsOfUser = (database: Database, pseudonym: string): Erase =>
  async function* (project) {
    const rename = renamer(database, "monitors", project, pseudonym);
    yield await rename(await itemsOf(database, "monitors").list(rulesOf(project)));
    const monitors = { name: "by-created", key: "list_key" };
    for await (const keys of keyPages(database, "monitors", monitorListPartition(project), monitors))
      yield await rename(await batchGet(database, "monitors", keys));
  };

/** Does so for runs, and removes the texts of verdicts about erased traces that wait for a second judge. */
export const eraseRunsOfUser = (database: Database, pseudonym: string, erased: ErasedTraces): Erase =>
  async function* (project) {
    const rename = renamer(database, "runs", project, pseudonym);
    const lists = [...targetTypes.map((type) => runListPartition(project, type)), deletedRunsPartition(project)];
    for (const list of lists)
      for await (const keys of keyPages(database, "runs", list, { name: "by-created", key: "list_key" })) {
        const runs = await batchGet(database, "runs", keys);
        let changed = await rename(runs);
        for (const run of runs) {
          const [, , id = ""] = v.parse(runItem, run).pk.split("#");
          changed += await blankHeldJudgements(database, project, id, erased.incarnationsAmong);
        }
        yield changed;
      }
  };
