import * as v from "valibot";
import { erasedFilters } from "../../domain/access/erased-filters.ts";
import { pseudonymOf, userMatcher } from "../../domain/access/pseudonym.ts";
import { type JsonObject, parseLossless } from "../../domain/json.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { keyPages, type Erase } from "../../dynamo/erase-items.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";
import type { TableName } from "../../dynamo/table.ts";
import type { ErasedTraces } from "./erased-traces.ts";
import type { ExclusiveSessions } from "./exclusive-sessions.ts";
import { monitorListPartition } from "../monitors/keys.ts";
import { blankHeldJudgements } from "../runs/held-judgements.ts";
import { deletedRunsPartition, runListPartition } from "../runs/keys.ts";
import { renameSessionTargets } from "../runs/session-targets.ts";
import { rulesOf } from "../alerts/keys.ts";

const withFilters = v.looseObject({
  filters: v.custom<JsonObject>((value) => typeof value === "object" && value !== null),
});
const stored = v.union([withFilters, v.looseObject({ settings: withFilters })]);
const storedItem = v.object({ pk: v.string(), sk: v.string(), d: v.string() });
const runItem = v.object({ pk: v.string() });

/** Sorts before all runs of a list. */
const firstRun = " ";

/** Number of a list of runs and sort key of a run, as a place. */
const runPlace = v.fallback(v.pipe(v.string(), v.parseJson(), v.tuple([v.number(), v.string()])), [0, firstRun]);

/** Whose data an erasure looks for in settings. */
interface ErasedUser {
  readonly pseudonym: string;
  readonly exclusiveAmong: ExclusiveSessions;
}

const renamer = (database: Database, table: TableName, project: string, { pseudonym, exclusiveAmong }: ErasedUser) => {
  const isOfUser = userMatcher(project, pseudonym);

  /** Returns what is stored of a run, a monitor or an alert rule without the user in its filters; null if these name neither the user nor a session of theirs. */
  const withoutUser = async (text: string): Promise<string | null> => {
    const { success, output } = v.safeParse(stored, parseLossless(text));
    if (!success) return null;
    const owner = "settings" in output ? v.parse(withFilters, output.settings) : v.parse(withFilters, output);
    const sessions = await exclusiveAmong(project, [owner.filters["session_id"] ?? []].flat().map(String));
    const filters = erasedFilters(owner.filters, pseudonym, (each) => isOfUser(each) || sessions.has(each));
    if (filters === null) return null;
    const renamed = { ...owner, filters };
    return JSON.stringify("settings" in output ? { ...output, settings: renamed } : renamed);
  };

  /** @returns the number of renamed items. */
  return async (items: readonly Item[]): Promise<number> => {
    let renamed = 0;
    for (const item of items) {
      const { success, output } = v.safeParse(storedItem, item);
      const after = success ? await withoutUser(output.d) : null;
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
export const eraseSettingsOfUser = (database: Database, user: ErasedUser): Erase =>
  async function* (project) {
    const rename = renamer(database, "monitors", project, user);
    yield await rename(await itemsOf(database, "monitors").list(rulesOf(project)));
    const monitors = { name: "by-created", key: "list_key" };
    for await (const keys of keyPages(database, "monitors", monitorListPartition(project), monitors))
      yield await rename(await batchGet(database, "monitors", keys));
  };

/**
 * Does so for runs, replaces the ids of their targets that are sessions which only the user had, and removes the texts of verdicts about
 * erased traces that wait for a second judge.
 */
export const eraseRunsOfUser = (database: Database, user: ErasedUser, erased: ErasedTraces): Erase =>
  async function* (project, place = null) {
    const rename = renamer(database, "runs", project, user);
    const [firstList, firstOrder] = v.parse(runPlace, place);
    const pseudonyms = async (sessions: readonly string[]): Promise<ReadonlyMap<string, string>> =>
      new Map(
        Array.from(await user.exclusiveAmong(project, sessions), (session) => [session, pseudonymOf(project, session)]),
      );
    const traceRuns = runListPartition(project, "TRACE");
    const lists = [traceRuns, runListPartition(project, "SESSION"), deletedRunsPartition(project)];
    for (const [at, list] of lists.entries()) {
      if (at < firstList) continue;
      const pages = itemsOf(database, "runs").pages({
        index: "by-created",
        where: "list_key = :list AND order_key >= :order",
        values: { ":list": list, ":order": at === firstList ? firstOrder : firstRun },
        attributes: "pk, sk, order_key",
        limit: 100,
      });
      for await (const { items } of pages) {
        const runs = await batchGet(
          database,
          "runs",
          items.map(({ pk, sk }) => ({ pk, sk })),
        );
        let changed = await rename(runs);
        for (const run of runs) {
          const [, , id = ""] = v.parse(runItem, run).pk.split("#");
          changed += await blankHeldJudgements(database, project, id, erased.incarnationsAmong);
          if (list !== traceRuns) changed += await renameSessionTargets(database, project, id, pseudonyms);
        }
        yield changed;
        yield { place: JSON.stringify([at, items.at(-1)?.["order_key"] ?? firstRun]) };
      }
    }
  };
