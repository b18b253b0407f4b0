import { offsetPage } from "../domain/page.ts";
import { inTurns, throwFailures } from "../async/in-turns.ts";
import { afterPass, type Deletion, isDue } from "../domain/access/deletion.ts";
import type { Schedules } from "../monitors/schedules.ts";
import { accessItems } from "../store/access/items.ts";
import { deletionEntryKey, deletionKey, organizationPartition, prefixes, projectKey } from "../store/access/keys.ts";
import type { Database } from "../dynamo/database.ts";
import { deletionRequests } from "../store/deletion/requests.ts";
import { type ClaimedDeletion, deletionStore } from "../store/deletion/deletions.ts";
import { erasePartition, type Erase } from "../dynamo/erase-items.ts";
import { eraseOrganization, eraseOrganizationItem } from "../store/access/erase.ts";
import { erasedTracesPartition } from "../store/erasure/erased-traces.ts";
import { eraseDays } from "../store/garbage/erase.ts";
import { projectStore } from "../store/access/projects.ts";
import { scanProgress } from "../store/deletion/scan-progress.ts";
import { projectErasers } from "./erase-project.ts";
import { userErasers } from "./erase-user.ts";
import { eraseOrganizationTurns } from "../store/runs/erase.ts";
import { eraseOrganizationSpend } from "../store/spend/erase.ts";
import { runPass } from "./pass.ts";

/** Page size when the projects of a deleted organization become deletions of their own. */
const projectPageSize = 100;

/** Deletions processed concurrently. */
const concurrency = 4;

/** Min milliseconds of a deletion's turn: a pass that finds nothing takes less. */
const minTurn = 1_000;

/**
 * Continues all open deletions for a limited time: least recently processed first, each for its share of the time, and
 * unfinished ones again while time is left. A lease lets one worker at a time process a deletion; minutes after a worker
 * died another one takes over.
 *
 * @param otherErasers erasers of what a project has outside of the tables.
 */
export const deletionEraser = (
  database: Database,
  schedules: Pick<Schedules, "remove">,
  now: () => number = Date.now,
  otherErasers: readonly (readonly [name: string, erase: Erase])[] = [],
) => {
  const deletions = deletionStore(database, now);
  const requests = deletionRequests(database, now);
  const projects = projectStore(database, now);
  const progress = scanProgress(database, now);
  const { write } = accessItems(database);

  /** Requests the deletion of each project of a deleted organization. */
  const deleteProjects = (requestedBy: string): Erase =>
    async function* (organizationId) {
      for (;;) {
        const { items } = await projects.page(organizationId, offsetPage(projectPageSize, 0));
        if (items.length === 0) return;
        for (const project of items) {
          await requests.ofProject(project, requestedBy, false);
          yield 1;
        }
      }
    };

  /** True while deletions of the organization's projects are open: until then the organization cannot be erased. */
  const waitsForProjects = async (organizationId: string): Promise<boolean> => {
    const { items } = await deletions.ofOrganization(organizationId, offsetPage(Number.MAX_SAFE_INTEGER, 0));
    return items.some(({ provedAt }) => provedAt === null);
  };

  /** Removes the items that must outlast all writers: the records of a user's traces; a project's day list and item, an organization's deletions, spend, turns and item. */
  const removeLastItems = async ({ id, kind, projectId }: Deletion): Promise<void> => {
    if (kind === "USER") {
      for await (const _ of erasePartition(database, "aggregates", erasedTracesPartition(projectId ?? "", id)));
      return;
    }
    if (kind === "PROJECT") {
      for await (const _ of eraseDays(database)(id));
      await write([{ remove: projectKey(id) }]);
      return;
    }
    const partition = organizationPartition(id);
    for (const prefix of [prefixes.deletions, prefixes.erasures])
      for await (const item of accessItems(database).query({ pk: partition, prefix })) {
        const deleted = String(item["sk"]).slice(prefix.length);
        await write([{ remove: deletionKey(deleted) }, { remove: deletionEntryKey(partition, deleted, prefix) }]);
      }
    for await (const _ of eraseOrganizationSpend(database, now)(id));
    for await (const _ of eraseOrganizationTurns(database)(id));
    await eraseOrganizationItem(database, id);
  };

  /**
   * Runs one turn of a deletion's pass and finishes the deletion once nothing is left of it.
   *
   * @param lastScanAt start of the last completed table scan, epoch milliseconds; null if there was none.
   * @param until epoch milliseconds at which the turn stops.
   * @returns "proved" if the deletion is finished; otherwise the deletion continues later.
   * @throws AggregateError when some erasers failed, after all others had their turn.
   */
  const continueDeletion = async (
    { deletion: before, lease }: ClaimedDeletion,
    lastScanAt: number | null,
    until: number,
  ): Promise<"proved" | "pass complete" | "unfinished"> => {
    const { id, kind, requestedBy } = before;
    const erasers =
      kind === "PROJECT"
        ? [...projectErasers(database, schedules, before, now), ...otherErasers]
        : kind === "USER"
          ? userErasers(database, before, now)
          : ([
              ["projects", deleteProjects(requestedBy)],
              ["access", eraseOrganization(database)],
            ] as const);
    const reportRemoved = (removed: Readonly<Record<string, number>>) => deletions.addRemoved(id, removed);
    const { pass, failures } = await runPass(erasers, before.projectId ?? id, {
      unfinishedPass: before.passing,
      until,
      now,
      reportRemoved,
    });
    const isWaiting = kind === "ORGANIZATION" && (await waitsForProjects(id));
    const { deletion, isProved } = afterPass(before, pass, isWaiting, lastScanAt);
    if (!isProved) {
      await deletions.release({ deletion, lease });
      throwFailures({ failures, failed: failures.length }, "Kinds of items that could not be removed");
      return pass.at === null ? "pass complete" : "unfinished";
    }
    await removeLastItems(deletion);
    return (await deletions.close({ deletion, lease })) ? "proved" : "pass complete";
  };

  /**
   * Continues the open deletions.
   *
   * @param budget milliseconds of work.
   * @returns number of open deletions, and number of those that were finished in this call.
   * @throws AggregateError when some deletions failed, after all others had their turn.
   */
  return async (budget: number): Promise<{ readonly deletions: number; readonly proved: number }> => {
    const until = now() + budget;
    // Read before the deletions: a scan records the items it found on the deletions before it ends.
    const { last: lastScanAt } = await progress.read();
    const open = await deletions.open();
    const due = open.filter((each) => isDue(each, lastScanAt, now()));
    let pendingIds = due.toSorted((a, b) => (a.workedAt ?? 0) - (b.workedAt ?? 0)).map(({ id }) => id);
    const failures: unknown[] = [];
    let [proved, failed] = [0, 0];
    for (let isTimeUp = false; pendingIds.length > 0 && !isTimeUp;) {
      const unfinished: string[] = [];
      const work = async (id: string, end: number): Promise<void> => {
        const claimed = await deletions.claim(id);
        if (claimed === null) return;
        const outcome = await continueDeletion(claimed, lastScanAt, end);
        if (outcome === "proved") proved += 1;
        if (outcome === "unfinished") unfinished.push(id);
      };
      const turn = Math.max(minTurn, ((until - now()) * concurrency) / pendingIds.length);
      const turns = await inTurns(pendingIds, work, { until, now, turnMilliseconds: turn, concurrency });
      failures.push(...turns.failures);
      failed += turns.failed;
      isTimeUp = turns.isIncomplete || now() >= until;
      pendingIds = unfinished;
    }
    throwFailures({ failures, failed }, "Deletions that could not continue");
    return { deletions: open.length, proved };
  };
};
