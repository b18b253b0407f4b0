import { pageAt } from "../domain/page.ts";
import { inTurns, throwFailures } from "../async/in-turns.ts";
import { afterPass, type Deletion, isDue } from "../domain/access/deletion.ts";
import type { Schedules } from "../monitors/schedules.ts";
import { accessItems } from "../store/access/items.ts";
import { deletionEntryKey, deletionKey, organizationPartition, prefixes, projectKey } from "../store/access/keys.ts";
import type { Database } from "../store/database.ts";
import { deletionRequests } from "../store/deletion/requests.ts";
import { type ClaimedDeletion, deletionStore } from "../store/deletion/deletions.ts";
import type { Erase } from "../store/erase-items.ts";
import { eraseOrganization, forgetOrganization } from "../store/access/erase.ts";
import { eraseDays } from "../store/remains/erase.ts";
import { projectStore } from "../store/access/projects.ts";
import { scanProgress } from "../store/deletion/scan-progress.ts";
import { projectErasers } from "./erase-project.ts";
import { eraseOrganizationSpend } from "../store/spend/erase.ts";
import { passOf } from "./pass.ts";

/** Projects of a deleted organization that become deletions of their own at a time. */
const projectsAtATime = 100;

/** Deletions that go on at a time. */
const width = 4;

/** Milliseconds that a turn has at least: looking for everything once, where nothing is left, takes less. */
const leastTurn = 1_000;

/**
 * Goes on with every deletion that has begun, for as long as it may: who was worked on least recently first, each for its
 * share of the time, and those that were not done in theirs again as long as there is any. A deletion is worked on by one
 * worker at a time; one that died is followed by another minutes later, which finds what is left.
 */
export const erasing = (database: Database, schedules: Pick<Schedules, "remove">, now: () => number = Date.now) => {
  const deletions = deletionStore(database, now);
  const requests = deletionRequests(database, now);
  const projects = projectStore(database, now);
  const progress = scanProgress(database, now);
  const { write } = accessItems(database);

  /** Deletes the projects of a deleted organization one by one. */
  const eraseProjects = (by: string): Erase =>
    async function* (organizationId) {
      for (;;) {
        const { items } = await projects.page(organizationId, pageAt(projectsAtATime, 0));
        if (items.length === 0) return;
        for (const project of items) {
          await requests.ofProject(project, by, false);
          yield 1;
        }
      }
    };

  /** Whether projects of the organization are still being removed: before they are, it is not empty. */
  const waitsForProjects = async (organizationId: string): Promise<boolean> => {
    const { items } = await deletions.ofOrganization(organizationId, pageAt(Number.MAX_SAFE_INTEGER, 0));
    return items.some(({ provedAt }) => provedAt === null);
  };

  /** What only goes when nobody can write any more. */
  const finish = async ({ id, kind }: Deletion): Promise<void> => {
    if (kind === "PROJECT") {
      for await (const _ of eraseDays(database)(id));
      await write([{ remove: projectKey(id) }]);
      return;
    }
    const partition = organizationPartition(id);
    for await (const item of accessItems(database).each(partition, prefixes.deletions)) {
      const project = String(item["sk"]).slice(prefixes.deletions.length);
      await write([{ remove: deletionKey(project) }, { remove: deletionEntryKey(partition, project) }]);
    }
    for await (const _ of eraseOrganizationSpend(database, now)(id));
    await forgetOrganization(database, id);
  };

  /**
   * @param scan when the last scan that came to its end began.
   * @param until epoch milliseconds.
   * @throws AggregateError when some things could not be removed, after all others had their turn.
   */
  const goOn = async (
    { deletion: before, lease }: ClaimedDeletion,
    scan: number | null,
    until: number,
  ): Promise<"proved" | "looked" | "unfinished"> => {
    const { id, kind, requestedBy } = before;
    const erasers =
      kind === "PROJECT"
        ? projectErasers(database, schedules, before, now)
        : ([
            ["projects", eraseProjects(requestedBy)],
            ["access", eraseOrganization(database)],
          ] as const);
    const tell = (removed: Readonly<Record<string, number>>) => deletions.count(id, removed);
    const { pass, failures } = await passOf(erasers, id, { passing: before.passing, until, now, tell });
    const waits = kind === "ORGANIZATION" && (await waitsForProjects(id));
    const { deletion, proved } = afterPass(before, pass, waits, scan);
    if (!proved) {
      await deletions.note({ deletion, lease });
      throwFailures({ failures, failed: failures.length }, "Kinds of things that could not be removed");
      return pass.at === null ? "looked" : "unfinished";
    }
    await finish(deletion);
    return (await deletions.close({ deletion, lease })) ? "proved" : "looked";
  };

  /**
   * @param budget milliseconds.
   * @returns how many deletions go on, and how many of them are proved now.
   * @throws AggregateError when some failed, after all others had their turn.
   */
  return async (budget: number): Promise<{ readonly deletions: number; readonly proved: number }> => {
    const until = now() + budget;
    // Read before the deletions: what a scan came upon is noted with them before the scan ends.
    const { last: scan } = await progress.read();
    const open = await deletions.open();
    const due = open.filter((each) => isDue(each, scan, now()));
    let round = due.toSorted((a, b) => (a.workedAt ?? 0) - (b.workedAt ?? 0)).map(({ id }) => id);
    const failures: unknown[] = [];
    let [proved, failed] = [0, 0];
    for (let left = false; round.length > 0 && !left;) {
      const unfinished: string[] = [];
      const work = async (id: string, end: number): Promise<void> => {
        const claimed = await deletions.claim(id);
        if (claimed === null) return;
        const outcome = await goOn(claimed, scan, end);
        if (outcome === "proved") proved += 1;
        if (outcome === "unfinished") unfinished.push(id);
      };
      const turn = Math.max(leastTurn, ((until - now()) * width) / round.length);
      const turns = await inTurns(round, work, { until, now, turn, width });
      failures.push(...turns.failures);
      failed += turns.failed;
      left = turns.left || now() >= until;
      round = unfinished;
    }
    throwFailures({ failures, failed }, "Deletions that could not go on");
    return { deletions: open.length, proved };
  };
};
