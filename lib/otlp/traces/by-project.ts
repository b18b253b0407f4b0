import { projectIn } from "../../conventions/named-project.ts";
import type { ProjectReference } from "../../domain/access/project-reference.ts";
import type { JsonObject } from "../../domain/json.ts";

/** A span or a log event. */
interface Telemetry {
  readonly traceId: string;
  readonly attributes: JsonObject;
  readonly resource: JsonObject;
}

/** Spans or log events that name one project; null for those that name none. */
export interface ProjectGroup<Each> {
  readonly project: ProjectReference | null;
  readonly items: readonly Each[];
}

/** Returns the project that each trace or resource names; without those that name none or several. */
const soleProjects = <Each extends Telemetry, Key>(
  projects: ReadonlyMap<Each, ProjectReference | null>,
  keyOf: (each: Each) => Key,
): ReadonlyMap<Key, ProjectReference> =>
  new Map(
    [...Map.groupBy(projects.keys(), keyOf)].flatMap(([key, items]) => {
      const references = new Set(items.map((each) => projects.get(each) ?? null));
      references.delete(null);
      const [first = null, ...others] = references;
      return first === null || others.length > 0 ? [] : [[key, first] as const];
    }),
  );

/** Returns a function that replaces equal references by the first of them. */
const referencePool = () => {
  const references = new Map<string, ProjectReference>();
  return (reference: ProjectReference | null): ProjectReference | null => {
    if (reference === null) return null;
    const key = JSON.stringify(reference);
    const pooled = references.get(key) ?? reference;
    references.set(key, pooled);
    return pooled;
  };
};

/**
 * Groups spans or log events by the project that they name: in their own attributes or those of their resource. Other
 * instrumentations of the same program name none: their telemetry belongs where its trace does, else where the rest of its
 * resource does, if that is one project.
 *
 * @param parent project of telemetry whose trace names none either; null if the resource decides.
 */
export const byProject = <Each extends Telemetry>(
  telemetry: readonly Each[],
  parent: ProjectReference | null = null,
): readonly ProjectGroup<Each>[] => {
  const pooled = referencePool();
  const projects = new Map(
    telemetry.map((each) => [each, pooled(projectIn(each.attributes) ?? projectIn(each.resource))]),
  );
  const fallback = pooled(parent);
  const ofTraces = soleProjects(projects, ({ traceId }) => traceId);
  const ofResources = soleProjects(projects, ({ resource }) => resource);
  const groups = Map.groupBy(
    telemetry,
    (each) => projects.get(each) ?? ofTraces.get(each.traceId) ?? fallback ?? ofResources.get(each.resource) ?? null,
  );
  return [...groups].map(([project, items]) => ({ project, items }));
};
