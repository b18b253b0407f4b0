import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import { uuid } from "../../contract/schema/fields.ts";
import type { IngestProject } from "../../domain/access/principal.ts";
import { projectNamed, type ProjectReference } from "../../domain/access/project-reference.ts";
import { invalid, Refusal } from "../../domain/refusal.ts";
import type { Fields } from "../../domain/scores/imported-score.ts";
import { canonicalUuid } from "../../domain/text.ts";
import type { Database } from "../../dynamo/database.ts";
import type { TelemetryCaller } from "../../http/exchange.ts";
import type { ItemFlaw, SentRun } from "../../langsmith/sent-runs.ts";
import { projectStore } from "../../store/access/projects.ts";
import { projectOfTrace } from "../../store/traces/trace-project.ts";
import { flawOf, maxProjects, tooManyProjects } from "../traces/store-telemetry.ts";

type Caller = Pick<TelemetryCaller, "project" | "organizationId" | "projectFor">;

/** Newest projects of an organization that are searched for a trace. */
const searchedProjects = 100;

/** Maximum number of concurrent searches. */
const parallel = 4;

/** Items of a request by their projects, and the items without one. */
interface Groups<Item> {
  readonly groups: readonly (readonly [IngestProject, readonly Item[]])[];
  readonly flaws: readonly ItemFlaw[];
}

/** Groups items by their projects. Items of a project that is misnamed or missing are flawed. */
const byProject = async <Item>(
  items: Iterable<readonly [loc: ItemFlaw["loc"], item: Item]>,
  projectOf: (item: Item) => Promise<IngestProject>,
): Promise<Groups<Item>> => {
  const flaws: ItemFlaw[] = [];
  const groups = new Map<string, readonly [IngestProject, Item[]]>();
  await mapConcurrently(items, parallel, async ([loc, item]) => {
    try {
      const project = await projectOf(item);
      const group = groups.get(project.id) ?? [project, []];
      group[1].push(item);
      groups.set(project.id, group);
    } catch (error) {
      flaws.push({ loc, message: flawOf(error) });
    }
  });
  return { groups: [...groups.values()], flaws };
};

const notArrived = (run: string): Refusal =>
  new Refusal({
    kind: "rate-limited",
    detail: `The run ${run} has not arrived yet. Feedback of a run within a trace needs the trace_id.`,
    retryAfter: 1,
  });

const referenceTo = (id: string | null): ProjectReference | null => (id === null ? null : { kind: "id", id });

const traceOf = ({ run, place }: SentRun): string => place.traceId ?? run.id;

const namedBy = ({ run: { session_id: id, session_name: name } }: SentRun): ProjectReference | null =>
  projectNamed(name ?? "") ?? referenceTo(id ?? null);

/** Projects by the traces of a request's runs, which name them. */
export type ProjectsByTrace = ReadonlyMap<string, ProjectReference>;

/** Returns the projects that the runs of a request name, by trace. */
export const projectsByTrace = (runs: readonly SentRun[]): ProjectsByTrace =>
  new Map(
    runs.flatMap((each) => {
      const named = namedBy(each);
      return named === null ? [] : [[traceOf(each), named] as const];
    }),
  );

const idIn = (value: unknown): string | null => (v.is(uuid, value) ? canonicalUuid(value) : null);

/** Limits the projects that a request may name. @returns `projectFor`, which refuses a reference beyond the limit. */
const withinLimit = (projectFor: Caller["projectFor"]): Caller["projectFor"] => {
  const references = new Set<string>();
  return async (reference) => {
    const key = JSON.stringify(reference);
    if (!references.has(key) && references.size >= maxProjects) throw invalid(["body"], tooManyProjects);
    references.add(key);
    return projectFor(reference);
  };
};

/**
 * Groups runs and feedback by the projects that they name. Where nothing names a project, it is the one that has the trace already:
 * the SDKs name none in feedback, nor in changes of single runs.
 */
export const itemProjects = (database: Database) => {
  const projects = projectStore(database);

  const search = async (trace: string, { organizationId }: Caller): Promise<string | null> => {
    const { items } = await projects.page(organizationId, { limit: searchedProjects, offset: 0, after: null });
    const ids = items.map(({ id }) => id);
    return projectOfTrace(database, trace, ids);
  };

  const ofRun = async (sent: SentRun, named: ProjectsByTrace, caller: Caller): Promise<IngestProject> => {
    const { run, place } = sent;
    const reference = namedBy(sent) ?? named.get(traceOf(sent));
    if (reference !== undefined || caller.project !== undefined) return caller.projectFor(reference ?? null);
    return caller.projectFor(referenceTo(await search(place.traceId ?? place.parentId ?? run.id, caller)));
  };

  /** @throws Refusal `rate-limited` when the run has not arrived: the SDKs then send the feedback again. */
  const ofFeedback = async (
    { trace_id, run_id, session_id }: Fields,
    named: ProjectsByTrace,
    caller: Caller,
  ): Promise<IngestProject> => {
    const [traceId, session] = [idIn(trace_id), referenceTo(idIn(session_id))];
    const trace = traceId ?? idIn(run_id);
    // Refused later, since it names no run.
    if (trace === null) return caller.projectFor(session);
    const reference = named.get(trace) ?? session;
    const project = reference === null && caller.project === undefined ? null : await caller.projectFor(reference);
    if (project !== null && (traceId !== null || named.has(trace))) return project;
    // Without a trace id the run is taken for the root of its trace, which has to be there.
    const holder = project === null ? await search(trace, caller) : await projectOfTrace(database, trace, [project.id]);
    if (holder === null) throw notArrived(trace);
    return project ?? caller.projectFor(referenceTo(holder));
  };

  /** Returns the grouping functions of one request. @param named projects that the runs of the request name, by trace. */
  return (caller: Caller, named: ProjectsByTrace) => {
    const limited = { ...caller, projectFor: withinLimit(caller.projectFor) };
    return {
      ofRuns: (runs: readonly SentRun[]): Promise<Groups<SentRun>> =>
        byProject(
          runs.map((sent) => [["runs", sent.run.id], sent]),
          (sent) => ofRun(sent, named, limited),
        ),
      ofFeedback: (feedback: readonly Fields[]): Promise<Groups<Fields>> =>
        byProject(
          feedback.map((fields, at) => [["feedback", at], fields]),
          (fields) => ofFeedback(fields, named, limited),
        ),
    };
  };
};
