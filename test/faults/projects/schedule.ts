import { pageAt } from "../../../lib/domain/page.ts";
import { unscoped } from "../../../lib/domain/access/key-scope.ts";
import { randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { Refusal } from "../../../lib/domain/refusal.ts";
import type { Verified } from "../../../lib/http/principal-context.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { projectStore } from "../../../lib/store/access/projects.ts";
import type { Database } from "../../../lib/store/database.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { type FaultyDatabase, faultyDatabase } from "../../support/faults/faults.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import { seeded, type Random } from "../../support/random.ts";
import { violations } from "../violations.ts";
import { storm } from "../weather.ts";
import { projectLedger } from "./project-ledger.ts";
import { type Deed, deeds, warmFunction, type WarmFunction } from "./warm-function.ts";

/** What came of a schedule of projects that come and go under load. */
export interface ProjectsReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
  /** Requests that were acknowledged. */
  readonly acked: number;
  /** Deletions and renamings that were acknowledged. */
  readonly changes: number;
}

/** For so long, in milliseconds, may who reads be shown what is no more. */
const lag = 5_000;

const names = ["shop", "till", "desk"] as const;

/** An organization as its clients know it: another one in its place once it was deleted. */
interface Tenant {
  readonly organizationId: string;
  readonly owner: string;
  readonly keyId: string;
}

/**
 * Clients write and read by key and by token, through functions that remember and fail, while projects and organizations
 * are deleted, made again and renamed: no request that began after a change was acknowledged may be let in as before it,
 * those that read 5 seconds later at most, and what was acknowledged in a project that is there is there.
 */
export const runProjects = async (database: Database, seed: number): Promise<ProjectsReport> => {
  const random = seeded(seed);
  const broken = violations();
  const tally: Tally = new Map();
  const { database: rates } = storm(random.fork("weather"));
  const ledger = projectLedger();
  /** Projects and organizations whose deletion was begun. */
  const going = new Set<string>();
  const stored: { readonly deed: Deed; readonly project: string; readonly id: string }[] = [];
  const load = { answers: 0, ends: false };
  let [processes, acked, changes, instant] = [0, 0, 0, Date.parse("2026-10-05T00:00:00Z")];
  // No two instants are the same: which came first is never in doubt.
  const now = (): number => {
    instant += 1;
    return instant;
  };

  const newProcess = (): FaultyDatabase => {
    processes += 1;
    return faultyDatabase(database, seededFaults(random.fork(`process ${processes}`), rates, tally));
  };

  const newTenant = async (): Promise<Tenant> => {
    const [access, owner] = [accessStore(database, 1_000, now), randomUUID()];
    const organizationId = await access.createOrganization("Acme");
    await access.addMember(organizationId, owner, "OWNER");
    return { organizationId, owner, keyId: randomUUID() };
  };
  const tenants = [await newTenant(), await newTenant()];

  /** Asks until it is answered. */
  const answered = async <Answer>(work: (own: Database) => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const own = newProcess();
      try {
        const answer = await work(own);
        if (!own.crashed) return answer;
      } catch {
        // Whoever asks sees a 5xx, or nothing, and asks again.
      }
    }
  };

  const change = async (own: Random, index: number): Promise<void> => {
    const tenant = tenants[index] ?? (await newTenant());
    const { organizationId, owner } = tenant;
    if (own.chance(0.1)) {
      going.add(organizationId);
      await answered((each) =>
        deletionRequests(each, now).ofOrganization({ id: organizationId, name: "Acme", createdAt: "" }, owner),
      );
      ledger.organizationGone(organizationId, now());
      tenants[index] = await newTenant();
      return;
    }
    const { items } = await projectStore(database, now).page(organizationId, pageAt(100, 0));
    const [first, ...others] = items;
    if (first === undefined) return;
    const project = own.pick([first, ...others]);
    ledger.know(project.id, organizationId, project.name);
    if (own.chance(0.5)) {
      going.add(project.id);
      await answered((each) => deletionRequests(each, now).ofProject(project, owner));
      ledger.gone(project.id, now());
      return;
    }
    const name = own.pick(names);
    if (name === project.name) return;
    const renamed = ledger.renaming(project.id, name, now());
    const outcome = await answered((each) =>
      projectStore(each, now).update(organizationId, project.id, { name }, owner),
    );
    renamed(outcome === "taken" ? null : now());
  };

  const manage = async (index: number): Promise<void> => {
    const own = random.fork(`manager ${index}`);
    for (let left = own.between(3, 8); left > 0; left -= 1) {
      await change(own, index);
      changes += 1;
      // Some changes come within the time of memory, some after it; all of them under load.
      instant += own.pick([0, 100, 3_000]);
      const enough = load.answers + own.between(5, 25);
      while (load.answers < enough) await turn();
    }
  };

  /** What is wrong with an answer. */
  const judge = (tenant: Tenant, deed: Deed, named: { name: string } | { id: string }, begun: number) => {
    const late = deed === "read" ? lag : 0;
    return {
      letIn: (project: string): void => {
        if ("name" in named) ledger.know(project, tenant.organizationId, named.name);
        broken.expect(begun < ledger.goneAt(project) + late, `62: a ${deed} was let into a project that is gone`);
        broken.expect(
          !("name" in named) || ledger.mayHaveHad(project, named.name, begun - late, now()),
          `62: a ${deed} was let into a project that has another name`,
        );
      },
      refused: (kind: string): void => {
        const isGone = going.has(tenant.organizationId) || ("id" in named && going.has(named.id));
        broken.expect(kind === "unavailable" || isGone, `62: a ${deed} was refused as ${kind} in what is there`);
      },
    };
  };
  const client = async (name: string): Promise<void> => {
    const own = random.fork(name);
    const warm = new Map<string, WarmFunction>();
    /** One of three sandboxes of the deed's function. */
    const functionOf = (deed: Deed): WarmFunction => {
      const slot = `${deed} ${own.below(3)}`;
      const there = warm.get(slot);
      if (there !== undefined && !there.database.crashed) return there;
      const made = warmFunction(deed, newProcess(), now);
      warm.set(slot, made);
      return made;
    };
    while (!load.ends) {
      const tenant = own.pick([tenants[0] as Tenant, ...tenants.slice(1)]);
      const [deed, known] = [own.pick(deeds), ledger.of(tenant.organizationId)];
      const [id] = own.chance(0.4) && known.length > 0 ? [own.pick(known as [string, ...string[]])] : [];
      const named = id === undefined ? { name: own.pick(names) } : { id };
      const caller: Verified =
        "id" in named
          ? { kind: "user", userId: tenant.owner, email: null, displayName: null }
          : { kind: "key", keyId: tenant.keyId, organizationId: tenant.organizationId, scope: unscoped, maker: null };
      const headers: Record<string, string> =
        "id" in named ? { "X-Project-ID": named.id } : { "X-Project-Name": named.name };
      const used = functionOf(deed);
      const verdict = judge(tenant, deed, named, now());
      try {
        const done = await used.call(caller, headers);
        if (used.database.crashed) continue;
        acked += 1;
        verdict.letIn(done.caller.project.id);
        if (deed !== "read") stored.push({ deed, project: done.caller.project.id, id: done.id });
      } catch (error) {
        if (!used.database.crashed && error instanceof Refusal) verdict.refused(error.reason.kind);
      } finally {
        load.answers += 1;
      }
    }
  };

  const clients = Array.from({ length: random.between(2, 4) }, (_, index) => client(`client ${index}`));
  await Promise.all(tenants.map((_, index) => manage(index)));
  load.ends = true;
  await Promise.all(clients);

  for (const { deed, project, id } of stored) {
    if (ledger.goneAt(project) < Infinity) continue;
    const found =
      deed === "trace"
        ? await traceReader(database, now).get(project, id)
        : await monitorStore(database, now).get(project, id);
    broken.expect(found !== null, `62: an acknowledged ${deed} is not there`);
  }
  return { seed, violations: broken.found, tally, acked, changes };
};
