import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import { allEnded } from "../async/all-ended.ts";
import type { Route } from "../contract/route.ts";
import { credentialIn } from "../domain/access/credential.ts";
import { requirePermission } from "../domain/access/key-scope.ts";
import { nameFlaw } from "../domain/access/names.ts";
import type { CallersProject, Principal, Project } from "../domain/access/principal.ts";
import { invalid, Refusal } from "../domain/refusal.ts";
import type { ProjectsOfCallers } from "../store/access/projects-of-callers.ts";
import type { RateLimits } from "../store/limits/rate-limits.ts";
import type { RepeatRecords } from "../store/limits/repeat-records.ts";
import type { Bounds } from "./limits/bounds.ts";
import { callerProjects, type MakeNamedProject, noteProjectMade } from "./caller-projects.ts";
import { optionalHeader, uuidIn } from "./one-header.ts";
import { requestCount } from "./limits/request-count.ts";
import { type VerifiedKey, verifiedOf } from "./principal-context.ts";

/** Who is asking, and for which project. */
export interface Caller {
  readonly principal: Principal;
  readonly project: CallersProject;
}

/** Lets a request in and says who is asking, or throws the refusal that answers it. */
export interface Gate<Admitted extends object = Caller> {
  admit(event: APIGatewayProxyEvent, route: Route): Promise<Admitted>;
  /** Records of requests that may come again; none where nothing is recorded. */
  readonly records?: RepeatRecords;
  /** What is counted of a request beside it: the read units that it has taken. */
  readonly bounds?: Pick<Bounds, "spend">;
  /** Origins whose pages may read replies; none when absent. */
  readonly origins?: readonly string[];
}

/** The value of a header that has to be given, once. @throws Refusal `invalid` naming it. */
const header = (event: APIGatewayProxyEvent, name: string): string => {
  const value = optionalHeader(event, name);
  if (value === null) throw invalid(["header", name], "Field required", "missing");
  return value;
};

/** The project that stands beside the key in `Authorization`; null where that is not the request's credential, or names none. */
const besideKey = (event: APIGatewayProxyEvent): string | null => {
  if (optionalHeader(event, "X-API-Key") !== null) return null;
  const sent = credentialIn(optionalHeader(event, "Authorization") ?? "");
  return sent?.kind === "key" ? sent.project : null;
};

/** The name of a key's project; null where nothing names one. */
const projectName = (event: APIGatewayProxyEvent, { projectHeaders = [] }: Route): string | null => {
  for (const each of ["X-Project-Name", ...projectHeaders]) {
    const named = optionalHeader(event, each);
    if (named !== null) return named;
  }
  return besideKey(event);
};

/** The id in a request's header, or the refusal of a request that names none. */
const namedId = (event: APIGatewayProxyEvent): string | Refusal => {
  try {
    return uuidIn("X-Project-ID", header(event, "X-Project-ID"));
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
};

const organizationOf = async (project: Promise<Project>): Promise<string> => {
  try {
    return (await project).organizationId;
  } catch (error) {
    if (error instanceof Refusal) return "none";
    throw error;
  }
};

/**
 * The gate of the data plane. A request is counted while its project is looked for; what the count refuses is told nothing
 * else, and has written nothing.
 *
 * @param makeNamed makes what a key names first.
 * @param factor on every limit; 1 is the contract.
 */
export const projectGate = (
  access: ProjectsOfCallers,
  makeNamed: MakeNamedProject,
  limits: RateLimits,
  factor: number,
  now: () => number = Date.now,
  bounds: Bounds | null = null,
): Gate => {
  const projects = callerProjects(access, makeNamed, now);
  const count = requestCount(limits, factor);

  const reading = async (client: string, route: Route, event: APIGatewayProxyEvent): Promise<void> =>
    bounds?.reads(client, route, event);

  const projectOfKey = async (
    event: APIGatewayProxyEvent,
    route: Route,
    key: VerifiedKey,
    counted: Promise<void>,
  ): Promise<CallersProject> => {
    requirePermission(key.scope, route.permission);
    const given = projectName(event, route);
    const id = given === null ? optionalHeader(event, "X-Project-ID") : null;
    if (id !== null) return projects.ofKeyById(key, uuidIn("X-Project-ID", id), route);
    const name = given ?? header(event, "X-Project-Name");
    const flaw = nameFlaw("X-Project-Name", name);
    if (flaw !== null) throw invalid(["header", "X-Project-Name"], flaw);
    return projects.ofKey(key, name, route, counted, () => noteProjectMade(event));
  };

  const admitKey = async (event: APIGatewayProxyEvent, route: Route, key: VerifiedKey): Promise<Caller> => {
    const { keyId, organizationId } = key;
    const client = `key#${keyId}`;
    const counted = count(client, route, event);
    const project = projectOfKey(event, route, key, counted);
    await allEnded<unknown>([counted, reading(client, route, event), project]);
    await bounds?.organization(organizationId, route, event);
    return { principal: { kind: "key", keyId, organizationId }, project: await project };
  };

  /**
   * The project that a user names: by its id, or by its name in the organization that `X-Organization-ID` names, or in the user's
   * first. It is not made.
   */
  const projectOfUser = async (
    event: APIGatewayProxyEvent,
    route: Route,
    userId: string,
    id: string | Refusal,
  ): Promise<CallersProject> => {
    if (typeof id === "string") return projects.ofUser(userId, id, route);
    const name = optionalHeader(event, "X-Project-ID") === null ? optionalHeader(event, "X-Project-Name") : null;
    if (name === null) throw id;
    const flaw = nameFlaw("X-Project-Name", name);
    if (flaw !== null) throw invalid(["header", "X-Project-Name"], flaw);
    const organization = optionalHeader(event, "X-Organization-ID");
    const named = organization === null ? null : uuidIn("X-Organization-ID", organization);
    return projects.ofUserByName(userId, named, name, route);
  };

  const admitUser = async (event: APIGatewayProxyEvent, route: Route, userId: string): Promise<Caller> => {
    const id = namedId(event);
    const expected = typeof id === "string" ? projects.organizationOf(userId, id) : undefined;
    const project = projectOfUser(event, route, userId, id);
    // A user is a client within an organization, which only the project tells; what names none counts by itself.
    const counted = (async () => {
      const client = `user#${userId}#${expected ?? (await organizationOf(project))}`;
      await allEnded<unknown>([count(client, route, event), reading(client, route, event)]);
    })();
    await allEnded<unknown>([counted, project]);
    const found = await project;
    await bounds?.organization(found.organizationId, route, event);
    return { principal: { kind: "user", userId }, project: found };
  };

  return {
    admit: async (event, route) => {
      const verified = v.parse(verifiedOf, event.requestContext.authorizer);
      return verified.kind === "key" ? admitKey(event, route, verified) : admitUser(event, route, verified.userId);
    },
  };
};
