import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import { externalId, uuid } from "../../contract/schema/fields.ts";
import type { IngestProject } from "../../domain/access/principal.ts";
import { projectNamed, type ProjectReference } from "../../domain/access/project-reference.ts";
import { invalid, Refusal } from "../../domain/refusal.ts";
import type { UnparsedItem } from "../../domain/scores/imported-score.ts";
import type { Database } from "../../dynamo/database.ts";
import type { TelemetryCaller } from "../../http/exchange.ts";
import { assumedTrace } from "../../langsmith/run-place.ts";
import { runLoc, type ItemFlaw, type SentRun } from "../../langsmith/sent-runs.ts";
import { projectStore } from "../../store/access/projects.ts";
import { projectsOfTraces } from "../../store/traces/trace-project.ts";
import { flawOf, maxProjects, tooManyProjects } from "../traces/store-telemetry.ts";

type Caller = Pick<TelemetryCaller, "project" | "organizationId" | "projectFor">;

/** Newest projects of an organization that are searched for a trace. */
const searchedProjects = 100;

/** Maximum number of keys that a request reads in its searches, one for each trace and project: 20 traces in 100 projects. */
const maxSearchedKeys = 2_000;

const notSearched =
  "The request names no project for more traces than can be searched for: send session_name, or the header X-Project-Name.";

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

const traceOf = ({ run, place }: SentRun): string => assumedTrace(run, place);

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

const idIn = <Output extends string>(schema: v.GenericSchema<string, Output>, value: unknown): Output | null => {
  const parsed = v.safeParse(schema, value);
  return parsed.success ? parsed.output : null;
};

/** Ids in a feedback of its trace, of the trace or else the run, and of its project; null where it has none. */
const idsOf = ({ trace_id, run_id, session_id }: UnparsedItem) => {
  const traceId = idIn(externalId, trace_id);
  return { traceId, trace: traceId ?? idIn(externalId, run_id), session: referenceTo(idIn(uuid, session_id)) };
};

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

/** Lists the ids of the projects that a request can mean: the one that it names, else the newest of its organization. */
export const projectIdsOf = async (
  database: Database,
  { organizationId, project }: Pick<Caller, "project" | "organizationId">,
): Promise<readonly string[]> => {
  if (project !== undefined) return [project.id];
  const { items } = await projectStore(database).page(organizationId, {
    limit: searchedProjects,
    offset: 0,
    after: null,
  });
  return items.map(({ id }) => id);
};

/** Searches of one request for the projects that have traces. */
const searches = (database: Database, caller: Caller) => {
  let keysLeft = maxSearchedKeys;
  let listing: Promise<readonly string[]> | undefined;

  /**
   * Searches for traces in one project or in those of the caller; the last traces are left out if they are too many.
   *
   * @returns a function of a trace: the id of its project, or null. @throws Refusal `invalid` for a trace that was left out.
   */
  return async (traces: ReadonlySet<string>, only?: IngestProject): Promise<(trace: string) => string | null> => {
    if (traces.size === 0) return () => null;
    const ids = only === undefined ? await (listing ??= projectIdsOf(database, caller)) : [only.id];
    const searched = new Set([...traces].slice(0, Math.floor(keysLeft / Math.max(1, ids.length))));
    keysLeft -= searched.size * ids.length;
    const holders = await projectsOfTraces(database, ids, [...searched]);
    return (trace) => {
      if (!searched.has(trace)) throw invalid(["body"], notSearched);
      return holders.get(trace) ?? null;
    };
  };
};

/**
 * Groups runs and feedback by the projects that they name. Where nothing names a project, it is the one that has the trace already:
 * the SDKs name none in feedback, nor in changes of single runs.
 */
export const itemProjects =
  (database: Database) =>
  /** Returns the grouping functions of one request. @param named projects that the runs of the request name, by trace. */
  (caller: Caller, named: ProjectsByTrace) => {
    const projectFor = withinLimit(caller.projectFor);
    const search = searches(database, caller);
    const isScoped = caller.project !== undefined;
    const referenceOf = (sent: SentRun) => namedBy(sent) ?? named.get(traceOf(sent)) ?? null;

    const ofRuns = async (runs: readonly SentRun[]): Promise<Groups<SentRun>> => {
      const unnamed = isScoped ? [] : runs.filter((sent) => referenceOf(sent) === null);
      const holderOf = await search(new Set(unnamed.map(traceOf)));
      return byProject(
        runs.map((sent) => [runLoc(sent), sent]),
        async (sent) => {
          const reference = referenceOf(sent);
          return projectFor(reference !== null || isScoped ? reference : referenceTo(holderOf(traceOf(sent))));
        },
      );
    };

    /** Returns the project that a feedback names, and the trace to search for before the feedback is stored; null for either. */
    const placeOf = (fields: UnparsedItem) => {
      const { traceId, trace, session } = idsOf(fields);
      const reference = (trace === null ? undefined : named.get(trace)) ?? session;
      // Without a trace id the run is taken for the root of its trace, which has to be there. One without a run is refused later.
      const isPlaced = trace === null || named.has(trace) || (traceId !== null && (isScoped || reference !== null));
      return { reference, searched: isPlaced ? null : trace };
    };

    /** @throws Refusal `rate-limited` when a run has not arrived: the SDKs then send the feedback again. */
    const ofFeedback = async (feedback: readonly UnparsedItem[]): Promise<Groups<UnparsedItem>> => {
      const places = new Map(feedback.map((fields) => [fields, placeOf(fields)]));
      const unnamed = [...places.values()].flatMap(({ reference, searched }) =>
        searched !== null && (isScoped || reference === null) ? [searched] : [],
      );
      const holderOf = await search(new Set(unnamed));
      return byProject(
        feedback.map((fields, at) => [["feedback", at], fields]),
        async (fields) => {
          const { reference, searched } = places.get(fields) ?? placeOf(fields);
          if (searched === null) return projectFor(reference);
          const project = isScoped || reference !== null ? await projectFor(reference) : null;
          const isElsewhere = project !== null && !isScoped;
          const holder = (isElsewhere ? await search(new Set([searched]), project) : holderOf)(searched);
          if (holder === null) throw notArrived(searched);
          return project ?? projectFor(referenceTo(holder));
        },
      );
    };

    return { ofRuns, ofFeedback };
  };
