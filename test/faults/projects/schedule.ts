import { offsetPage } from "../../../lib/domain/page.ts";
import { fullScope } from "../../../lib/domain/access/key-scope.ts";
import { randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { Refusal } from "../../../lib/domain/refusal.ts";
import type { VerifiedCaller } from "../../../lib/http/guards/principal-context.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { projectStore } from "../../../lib/store/access/projects.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { type FaultyDatabase, faultyDatabase } from "../../support/faults/faults.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import { seeded, type Random } from "../../support/random.ts";
import { violations } from "../violations.ts";
import { storm } from "../weather.ts";
import { projectLedger } from "./project-ledger.ts";
import { type RequestKind, requestKinds, warmFunction, type WarmFunction } from "./warm-function.ts";

/** Result of a schedule of projects that are created, renamed and deleted under load. */
export interface ProjectsReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
  /** Number of acknowledged requests. */
  readonly acked: number;
  /** Number of acknowledged deletions and renamings. */
  readonly changes: number;
}

/** Milliseconds for which reads may still see a deleted or renamed project. */
const lag = 5_000;

const names = ["shop", "till", "desk"] as const;

/** An organization as known to its clients; a deleted organization is replaced by a new one. */
interface Tenant {
  readonly organizationId: string;
  readonly owner: string;
  readonly keyId: string;
}

/**
 * Writes and reads by key and by token through caching functions that fail, while projects and organizations are
 * deleted, created again and renamed. No request that starts after an acknowledged change may be admitted under the old
 * state (reads after 5 seconds), and every acknowledged write in a remaining project must be stored.
 */
export const runProjects = async (database: Database, seed: number): Promise<ProjectsReport> => {
  const random = seeded(seed);
  const invariants = violations();
  const tally: Tally = new Map();
  const { database: rates } = storm(random.fork("weather"));
  const ledger = projectLedger();
  /** Ids of projects and organizations whose deletion has been requested. */
  const deletingIds = new Set<string>();
  const acknowledgedWrites: { readonly requestKind: RequestKind; readonly project: string; readonly id: string }[] = [];
  const load = { answers: 0, ends: false };
  let [processes, acked, changes, instant] = [0, 0, 0, Date.parse("2026-10-05T00:00:00Z")];
  // All instants are distinct, so that their order is certain.
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

  /** Repeats work in new processes until one of them answers. */
  const retryUntilAnswered = async <Answer>(work: (connection: Database) => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const connection = newProcess();
      try {
        const answer = await work(connection);
        if (!connection.crashed) return answer;
      } catch {
        // The caller receives a 5xx or no reply, and repeats the request.
      }
    }
  };

  const change = async (chance: Random, index: number): Promise<void> => {
    const tenant = tenants[index] ?? (await newTenant());
    const { organizationId, owner } = tenant;
    if (chance.chance(0.1)) {
      deletingIds.add(organizationId);
      await retryUntilAnswered((each) =>
        deletionRequests(each, now).ofOrganization({ id: organizationId, name: "Acme", createdAt: "" }, owner),
      );
      ledger.organizationDeleted(organizationId, now());
      tenants[index] = await newTenant();
      return;
    }
    const { items } = await projectStore(database, now).page(organizationId, offsetPage(100, 0));
    const [first, ...otherProjects] = items;
    if (first === undefined) return;
    const project = chance.pick([first, ...otherProjects]);
    ledger.know(project.id, organizationId, project.name);
    if (chance.chance(0.5)) {
      deletingIds.add(project.id);
      await retryUntilAnswered((each) => deletionRequests(each, now).ofProject(project, owner));
      ledger.projectDeleted(project.id, now());
      return;
    }
    const name = chance.pick(names);
    if (name === project.name) return;
    const renamed = ledger.renaming(project.id, name, now());
    const outcome = await retryUntilAnswered((each) =>
      projectStore(each, now).update(organizationId, project.id, { name }, owner),
    );
    renamed(outcome === "taken" ? null : now());
  };

  const manage = async (index: number): Promise<void> => {
    const chance = random.fork(`manager ${index}`);
    for (let remaining = chance.between(3, 8); remaining > 0; remaining -= 1) {
      await change(chance, index);
      changes += 1;
      // Some changes come before cached data expires, some after; all of them come under load.
      instant += chance.pick([0, 100, 3_000]);
      const targetAnswers = load.answers + chance.between(5, 25);
      while (load.answers < targetAnswers) await turn();
    }
  };

  /** Records violations in the outcome of a client's request. */
  const admissionChecks = (
    tenant: Tenant,
    requestKind: RequestKind,
    projectReference: { name: string } | { id: string },
    startedAt: number,
  ) => {
    const allowedLag = requestKind === "read" ? lag : 0;
    return {
      admitted: (project: string): void => {
        if ("name" in projectReference) ledger.know(project, tenant.organizationId, projectReference.name);
        invariants.expect(
          startedAt < ledger.goneAt(project) + allowedLag,
          `62: a ${requestKind} was let into a project that is gone`,
        );
        invariants.expect(
          !("name" in projectReference) ||
            ledger.mayHaveHadName(project, projectReference.name, startedAt - allowedLag, now()),
          `62: a ${requestKind} was let into a project that has another name`,
        );
      },
      refused: (kind: string): void => {
        const isGone =
          deletingIds.has(tenant.organizationId) || ("id" in projectReference && deletingIds.has(projectReference.id));
        invariants.expect(
          kind === "unavailable" || isGone,
          `62: a ${requestKind} was refused as ${kind} in what is there`,
        );
      },
    };
  };
  const client = async (name: string): Promise<void> => {
    const chance = random.fork(name);
    const warm = new Map<string, WarmFunction>();
    /** A warm sandbox of the function for a kind of request, one of three. */
    const functionOf = (requestKind: RequestKind): WarmFunction => {
      const slot = `${requestKind} ${chance.below(3)}`;
      const warmInstance = warm.get(slot);
      if (warmInstance !== undefined && !warmInstance.database.crashed) return warmInstance;
      const newInstance = warmFunction(requestKind, newProcess(), now);
      warm.set(slot, newInstance);
      return newInstance;
    };
    while (!load.ends) {
      const tenant = chance.pick([tenants[0] as Tenant, ...tenants.slice(1)]);
      const [requestKind, projectIds] = [chance.pick(requestKinds), ledger.projectsOf(tenant.organizationId)];
      const [id] =
        chance.chance(0.4) && projectIds.length > 0 ? [chance.pick(projectIds as [string, ...string[]])] : [];
      const projectReference = id === undefined ? { name: chance.pick(names) } : { id };
      const caller: VerifiedCaller =
        "id" in projectReference
          ? { kind: "user", userId: tenant.owner, email: null, displayName: null }
          : { kind: "key", keyId: tenant.keyId, organizationId: tenant.organizationId, scope: fullScope, maker: null };
      const headers: Record<string, string> =
        "id" in projectReference
          ? { "X-Project-ID": projectReference.id }
          : { "X-Project-Name": projectReference.name };
      const used = functionOf(requestKind);
      const verdict = admissionChecks(tenant, requestKind, projectReference, now());
      try {
        const result = await used.call(caller, headers);
        if (used.database.crashed) continue;
        acked += 1;
        verdict.admitted(result.caller.project.id);
        if (requestKind !== "read")
          acknowledgedWrites.push({ requestKind, project: result.caller.project.id, id: result.id });
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

  for (const { requestKind, project, id } of acknowledgedWrites) {
    if (ledger.goneAt(project) < Infinity) continue;
    const storedItem =
      requestKind === "trace"
        ? await traceReader(database, now).get(project, id)
        : await monitorStore(database, now).get(project, id);
    invariants.expect(storedItem !== null, `62: an acknowledged ${requestKind} is not there`);
  }
  return { seed, violations: invariants.messages, tally, acked, changes };
};
