import type { APIGatewayProxyEvent } from "aws-lambda";
import { notFound } from "../domain/refusal.ts";
import { isUnscoped, requireReach } from "../domain/access/key-scope.ts";
import type { CallersProject } from "../domain/access/principal.ts";
import type { Route } from "../contract/route.ts";
import type { ProjectsOfCallers } from "../store/access/projects-of-callers.ts";
import type { VerifiedKey } from "./principal-context.ts";
import { remembered, remembering } from "./remembering.ts";

/** Makes the project of a name that a key uses first, or finds the one that another request has made meanwhile. */
export type MakeNamedProject = (key: VerifiedKey, name: string) => Promise<CallersProject>;

/**
 * The projects that callers name.
 *
 * Requests that write ask for theirs each time, strongly: what begins after a deletion or a renaming was answered must not
 * be stored where nobody can read it. Requests that read may be told what was found a few seconds ago.
 */
export interface CallerProjects {
  /**
   * The project of that name in a key's organization, made on first use by a key that is held to nothing.
   *
   * @param admitted ends when the request may write.
   * @throws Refusal `unauthenticated` when the organization is gone, `forbidden` when it has as many projects as it may or the
   *   key is for another project, `not-found` when there is none and the key makes none.
   */
  ofKey(
    key: VerifiedKey,
    name: string,
    route: Route,
    admitted: Promise<unknown>,
    onMade?: () => void,
  ): Promise<CallersProject>;
  /** A project of a key's organization by its id. @throws Refusal `not-found` when it has none, `forbidden` when the key is for another project. */
  ofKeyById(key: VerifiedKey, id: string, route: Route): Promise<CallersProject>;
  /**
   * A member's project by its name, in an organization or in that of the oldest membership.
   *
   * @throws Refusal `not-found` when there is none, or the user is no member of its organization.
   */
  ofUserByName(userId: string, organizationId: string | null, name: string, route: Route): Promise<CallersProject>;
  /** A member's project. @throws Refusal `not-found` when there is none, or the user is no member of its organization. */
  ofUser(userId: string, id: string, route: Route): Promise<CallersProject>;
  /** The organization of a project that the user was let into before; a project never changes it. */
  organizationOf(userId: string, id: string): string | undefined;
}

const makers = new WeakSet<APIGatewayProxyEvent>();

/** Notes that a request has made the project that it names. */
export const noteProjectMade = (event: APIGatewayProxyEvent): void => {
  makers.add(event);
};

/** The header of a reply to a request that has made its project. */
export const projectHeaders = (event: APIGatewayProxyEvent): Record<string, string> =>
  makers.has(event) ? { "X-Project-Created": "true" } : {};

const projectNotFound = () => notFound("Project not found or does not belong to your organization.");

const writes = ({ method }: Route): boolean => method !== "GET";

export const callerProjects = (
  access: ProjectsOfCallers,
  makeNamed: MakeNamedProject,
  now: () => number,
): CallerProjects => {
  const recent = remembering<CallersProject>(now);
  const organizations = remembered<string>();

  const find = (
    route: Route,
    key: readonly (string | null)[],
    look: () => Promise<CallersProject>,
  ): Promise<CallersProject> => (writes(route) ? look() : recent(key, look));

  return {
    ofKey: async (key, name, route, admitted, onMade) => {
      const { organizationId, scope } = key;
      const project = await find(route, [organizationId, name], async () => {
        const known = await access.projectOfName(organizationId, name);
        if (known !== null) return known;
        requireReach(scope, null);
        if (!isUnscoped(scope)) throw projectNotFound();
        await admitted;
        const made = await makeNamed(key, name);
        onMade?.();
        return made;
      });
      requireReach(scope, project.id);
      return project;
    },

    ofKeyById: async ({ organizationId, scope }, id, route) => {
      const project = await find(route, [organizationId, id, "id"], async () => {
        const found = await access.projectOfOrganization(organizationId, id);
        if (found === null) throw projectNotFound();
        return found;
      });
      requireReach(scope, project.id);
      return project;
    },

    ofUserByName: (userId, organizationId, name, route) =>
      find(route, [userId, organizationId, name, "name"], async () => {
        const project = await access.projectOfMemberNamed(userId, organizationId, name);
        if (project === null) throw projectNotFound();
        return project;
      }),

    organizationOf: (userId, id) => organizations.get([userId, id]),

    ofUser: (userId, id, route) =>
      find(route, [userId, id, "user"], async () => {
        const project = await access.projectOfMember(id, userId, organizations.get([userId, id]));
        if (project === null) throw projectNotFound();
        organizations.set([userId, id], project.organizationId);
        return project;
      }),
  };
};
