import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import { awaitAll } from "../../async/concurrency.ts";
import { credentialIn } from "../../domain/access/credential.ts";
import { requirePermission } from "../../domain/access/key-scope.ts";
import { nameFlaw } from "../../domain/access/names.ts";
import type { IngestProject, Project } from "../../domain/access/principal.ts";
import { invalid, Refusal } from "../../domain/refusal.ts";
import type { ProjectLookup } from "../../store/access/project-lookup.ts";
import type { RateLimits } from "../../store/limits/rate-limits.ts";
import { callerProjects, type CreateNamedProject } from "./caller-projects.ts";
import { optionalHeader, uuidHeader } from "../event.ts";
import type { AccessGuard, Caller, Exchange } from "../exchange.ts";
import { type Bounds, requestCounter } from "./limits.ts";
import { type VerifiedKey, callerContext } from "./principal-context.ts";

/** Returns the value of a header that must be sent exactly once. @throws Refusal `invalid` with the header in its location. */
const requiredHeader = (event: APIGatewayProxyEvent, name: string): string => {
  const value = optionalHeader(event, name);
  if (value === null) throw invalid(["header", name], "Field required", "missing");
  return value;
};

/** Returns the project name that `Authorization` carries with an API key; null if it carries none or `X-API-Key` is sent. */
const projectBesideKey = (event: APIGatewayProxyEvent): string | null => {
  if (optionalHeader(event, "X-API-Key") !== null) return null;
  const credential = credentialIn(optionalHeader(event, "Authorization") ?? "");
  return credential?.kind === "key" ? credential.project : null;
};

/** Returns the project name of a request with an API key, from its headers or from `Authorization`; null without a name. */
const projectName = ({ event, route: { projectHeaders = [] } }: Exchange): string | null => {
  for (const each of ["X-Project-Name", ...projectHeaders]) {
    const name = optionalHeader(event, each);
    if (name !== null) return name;
  }
  return projectBesideKey(event);
};

/** Returns the project id in `X-Project-ID`, or the refusal of a request whose header is missing or malformed. */
const projectIdHeader = (event: APIGatewayProxyEvent): string | Refusal => {
  try {
    return uuidHeader("X-Project-ID", requiredHeader(event, "X-Project-ID"));
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
 * Returns the access guard of the data plane (traces, sessions, evaluations, scores, monitors). Rate limit and project are
 * checked concurrently. A request above its limit is refused with `rate-limited` only and has written nothing.
 *
 * @param createNamed creates the project that an API key names for the first time.
 * @param factor multiplier of every rate limit; 1 is the contract.
 */
export const projectGuard = (
  access: ProjectLookup,
  createNamed: CreateNamedProject,
  limits: RateLimits,
  factor: number,
  now: () => number = Date.now,
  bounds: Bounds | null = null,
): AccessGuard => {
  const projects = callerProjects(access, createNamed, now);
  const count = requestCounter(limits, factor);

  const reserveReads = async (client: string, exchange: Exchange): Promise<void> =>
    bounds?.reserveReads(client, exchange);

  const projectOfKey = async (
    exchange: Exchange,
    key: VerifiedKey,
    rateCheck: Promise<void>,
  ): Promise<IngestProject> => {
    const { event, route } = exchange;
    requirePermission(key.scope, route.permission);
    const headerName = projectName(exchange);
    const id = headerName === null ? optionalHeader(event, "X-Project-ID") : null;
    if (id !== null) return projects.ofKeyById(key, uuidHeader("X-Project-ID", id), route);
    const name = headerName ?? requiredHeader(event, "X-Project-Name");
    const flaw = nameFlaw("X-Project-Name", name);
    if (flaw !== null) throw invalid(["header", "X-Project-Name"], flaw);
    return projects.ofKey(key, name, route, rateCheck, () => {
      exchange.hasCreatedProject = true;
    });
  };

  const admitKey = async (exchange: Exchange, key: VerifiedKey): Promise<Caller> => {
    const { keyId, organizationId } = key;
    const client = `key#${keyId}`;
    const rateCheck = count(client, exchange);
    const project = projectOfKey(exchange, key, rateCheck);
    await awaitAll<unknown>([rateCheck, reserveReads(client, exchange), project]);
    await bounds?.countForOrganization(organizationId, exchange);
    return { principal: { kind: "key", keyId, organizationId }, project: await project };
  };

  /**
   * Returns the project that a user names: by `X-Project-ID`, or else by `X-Project-Name` in the organization of
   * `X-Organization-ID` or of the user's oldest membership. A missing project is not created.
   */
  const projectOfUser = async (
    { event, route }: Exchange,
    userId: string,
    id: string | Refusal,
  ): Promise<IngestProject> => {
    if (typeof id === "string") return projects.ofUser(userId, id, route);
    const name = optionalHeader(event, "X-Project-ID") === null ? optionalHeader(event, "X-Project-Name") : null;
    if (name === null) throw id;
    const flaw = nameFlaw("X-Project-Name", name);
    if (flaw !== null) throw invalid(["header", "X-Project-Name"], flaw);
    const organization = optionalHeader(event, "X-Organization-ID");
    const organizationId = organization === null ? null : uuidHeader("X-Organization-ID", organization);
    return projects.ofUserByName(userId, organizationId, name, route);
  };

  const admitUser = async (exchange: Exchange, userId: string): Promise<Caller> => {
    const id = projectIdHeader(exchange.event);
    const expected = typeof id === "string" ? projects.organizationOf(userId, id) : undefined;
    const project = projectOfUser(exchange, userId, id);
    // Users are counted per organization. The project gives the organization; requests without a project share one count.
    const rateCheck = (async () => {
      const client = `user#${userId}#${expected ?? (await organizationOf(project))}`;
      await awaitAll<unknown>([count(client, exchange), reserveReads(client, exchange)]);
    })();
    await awaitAll<unknown>([rateCheck, project]);
    const resolved = await project;
    await bounds?.countForOrganization(resolved.organizationId, exchange);
    return { principal: { kind: "user", userId }, project: resolved };
  };

  return {
    admit: async (exchange) => {
      const verified = v.parse(callerContext, exchange.event.requestContext.authorizer);
      return verified.kind === "key" ? admitKey(exchange, verified) : admitUser(exchange, verified.userId);
    },
  };
};
