import { notFound } from "../../domain/refusal.ts";
import { isFullScope, requireMemberPermission, requireProjectAccess } from "../../domain/access/key-scope.ts";
import type { IngestProject } from "../../domain/access/principal.ts";
import { makesProject, type Route } from "../../contract/route.ts";
import type { MemberProject, ProjectLookup } from "../../store/access/project-lookup.ts";
import type { VerifiedKey } from "./principal-context.ts";

/** Creates the project that an API key names for the first time, or returns the project that a concurrent request has created. */
export type CreateNamedProject = (key: VerifiedKey, name: string) => Promise<IngestProject>;

/**
 * Resolves the project that a caller names.
 *
 * A writing request reads the project consistently each time, so that nothing is written to a project after its deletion or
 * renaming was answered. A reading request may get a result cached for up to 5 seconds.
 */
export interface CallerProjects {
  /**
   * Returns the project of that name in an API key's organization. A key without a scope creates a missing project, if the route does.
   *
   * @param admission resolves once the rate limits admit the request; the project is not created before.
   * @throws Refusal `unauthenticated` when the organization is deleted, `forbidden` when its project limit is reached or the
   *   key is scoped to another project, `not-found` when the project does not exist and a scoped key may not create it.
   */
  ofKey(
    key: VerifiedKey,
    name: string,
    route: Route,
    admission: Promise<unknown>,
    onCreated?: () => void,
  ): Promise<IngestProject>;
  /** Returns a project of an API key's organization by its id. @throws Refusal `not-found`, or `forbidden` when the key is scoped to another project. */
  ofKeyById(key: VerifiedKey, id: string, route: Route): Promise<IngestProject>;
  /**
   * Returns a project by its name, in the given organization or else in the organization of the user's oldest membership.
   *
   * @throws Refusal `not-found` when there is no such project or the user is not a member of the organization, `forbidden` when
   *   the user's role lacks the permission of the route.
   */
  ofUserByName(userId: string, organizationId: string | null, name: string, route: Route): Promise<MemberProject>;
  /** Returns a project by its id. @throws Refusal as `ofUserByName`, about the project's organization. */
  ofUser(userId: string, id: string, route: Route): Promise<MemberProject>;
  /** Returns the cached organization of a project that the user has reached before; a project never changes its organization. */
  organizationOf(userId: string, id: string): string | undefined;
}

/** Lifetime of a cached lookup. Changes of memberships and project names take effect for reading requests within this time. */
const cacheMilliseconds = 5_000;
const cacheSize = 5_000;

type Key = readonly (string | null)[];

/** Creates an in-memory map of at most 5,000 entries; a full map is cleared as a whole. */
const boundedCache = <Value>() => {
  const cache = new Map<string, Value>();
  return {
    get: (key: Key): Value | undefined => cache.get(JSON.stringify(key)),
    set: (key: Key, value: Value): void => {
      if (cache.size >= cacheSize) cache.clear();
      cache.set(JSON.stringify(key), value);
    },
  };
};

/** Returns a function that runs `find` for a key and caches its result for 5 seconds. */
const cachedLookup = <Value>(now: () => number) => {
  const cache = boundedCache<{ readonly value: Value; readonly until: number }>();
  return async (key: Key, find: () => Promise<Value>): Promise<Value> => {
    const entry = cache.get(key);
    if (entry !== undefined && entry.until > now()) return entry.value;
    // Counted from before the read: a change during the read must not be missed for longer than 5 seconds.
    const until = now() + cacheMilliseconds;
    const value = await find();
    cache.set(key, { value, until });
    return value;
  };
};

const missingProject = "Project not found or does not belong to your organization.";

const projectNotFound = () => notFound(missingProject);

const isWrite = ({ method }: Route): boolean => method !== "GET";

export const callerProjects = (
  access: ProjectLookup,
  createNamed: CreateNamedProject,
  now: () => number,
): CallerProjects => {
  const recent = cachedLookup<IngestProject>(now);
  const recentOfMembers = cachedLookup<MemberProject>(now);
  const organizations = boundedCache<string>();

  const resolve = (
    route: Route,
    key: readonly (string | null)[],
    readProject: () => Promise<IngestProject>,
  ): Promise<IngestProject> => (isWrite(route) ? readProject() : recent(key, readProject));

  /** Returns a member's project. The role is checked for each request, since routes with other permissions share the cache. */
  const resolveOfMember = async (
    route: Route,
    key: Key,
    find: () => Promise<MemberProject | null>,
  ): Promise<MemberProject> => {
    const read = async (): Promise<MemberProject> => {
      const existing = await find();
      if (existing === null) throw projectNotFound();
      return existing;
    };
    const resolved = isWrite(route) ? await read() : await recentOfMembers(key, read);
    requireMemberPermission(resolved.role, route.permission);
    return resolved;
  };

  return {
    ofKey: async (key, name, route, admission, onCreated) => {
      const { organizationId, scope } = key;
      const project = await resolve(route, [organizationId, name], async () => {
        const existing = await access.projectOfName(organizationId, name);
        if (existing !== null) return existing;
        requireProjectAccess(scope, null);
        if (!makesProject(route)) throw projectNotFound();
        if (!isFullScope(scope)) throw notFound(`${missingProject} An API key with restricted access creates none.`);
        await admission;
        const created = await createNamed(key, name);
        onCreated?.();
        return created;
      });
      requireProjectAccess(scope, project.id);
      return project;
    },

    ofKeyById: async ({ organizationId, scope }, id, route) => {
      const project = await resolve(route, [organizationId, id, "id"], async () => {
        const existing = await access.projectOfOrganization(organizationId, id);
        if (existing === null) throw projectNotFound();
        return existing;
      });
      requireProjectAccess(scope, project.id);
      return project;
    },

    ofUserByName: (userId, organizationId, name, route) =>
      resolveOfMember(route, [userId, organizationId, name, "name"], () =>
        access.projectOfMemberNamed(userId, organizationId, name),
      ),

    organizationOf: (userId, id) => organizations.get([userId, id]),

    ofUser: (userId, id, route) =>
      resolveOfMember(route, [userId, id, "user"], async () => {
        const existing = await access.projectOfMember(id, userId, organizations.get([userId, id]));
        if (existing !== null) organizations.set([userId, id], existing.project.organizationId);
        return existing;
      }),
  };
};
