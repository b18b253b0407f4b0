import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import { awaitAll } from "../../async/concurrency.ts";
import { credentialIn } from "../../domain/access/credential.ts";
import { requirePermission } from "../../domain/access/key-scope.ts";
import { nameFlaw } from "../../domain/access/names.ts";
import type { IngestProject } from "../../domain/access/principal.ts";
import { projectInParent } from "../../domain/access/project-reference.ts";
import { invalid, Refusal } from "../../domain/refusal.ts";
import type { MemberProject, ProjectLookup } from "../../store/access/project-lookup.ts";
import type { RateLimits } from "../../store/limits/rate-limits.ts";
import { callerProjects, type CreateNamedProject } from "./caller-projects.ts";
import { optionalHeader, uuidHeader } from "../event.ts";
import type { AccessGuard, Caller, Exchange, TelemetryCaller } from "../exchange.ts";
import { type Bounds, requestCounter } from "./limits.ts";
import { type VerifiedKey, callerContext } from "./principal-context.ts";
import { telemetryProjects } from "./telemetry-projects.ts";

const missingHeader = (name: string): Refusal => invalid(["header", name], "Field required", "missing");

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
    const id = optionalHeader(event, "X-Project-ID");
    return id === null ? missingHeader("X-Project-ID") : uuidHeader("X-Project-ID", id);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
};

const organizationOf = async (resolved: Promise<MemberProject>): Promise<string> => {
  try {
    return (await resolved).project.organizationId;
  } catch (error) {
    if (error instanceof Refusal) return "none";
    throw error;
  }
};

/** Returns the caller of a request all of whose telemetry goes to one project. */
const telemetryCaller = (caller: Caller): TelemetryCaller => ({
  ...caller,
  organizationId: caller.project.organizationId,
  parentProject: null,
  projectFor: () => Promise.resolve(caller.project),
});

/** Access guards of the data plane. */
interface ProjectGuards {
  /** Guard of traces, sessions, evaluations, scores and monitors: each request names one project in its headers. */
  readonly named: AccessGuard;
  /** Guard of telemetry, whose body may name projects. */
  readonly telemetry: AccessGuard<TelemetryCaller>;
}

/**
 * Returns the access guards of the data plane. Rate limit and project are checked concurrently. A request above its limit is
 * refused with `rate-limited` only and has written nothing.
 *
 * @param createNamed creates the project that an API key names for the first time.
 * @param factor multiplier of every rate limit; 1 is the contract.
 */
export const projectGuards = (
  access: ProjectLookup,
  createNamed: CreateNamedProject,
  limits: RateLimits,
  factor: number,
  now: () => number = Date.now,
  bounds: Bounds | null = null,
): ProjectGuards => {
  const projects = callerProjects(access, createNamed, now);
  const count = requestCounter(limits, factor);

  const reserveReads = async (client: string, exchange: Exchange): Promise<void> =>
    bounds?.reserveReads(client, exchange);

  /** Returns the project that the headers of a request with an API key name, else the only one of the key; null without either. */
  const projectInHeaders = async (
    exchange: Exchange,
    key: VerifiedKey,
    rateCheck: Promise<void>,
  ): Promise<IngestProject | null> => {
    const { event, route } = exchange;
    requirePermission(key.scope, route.permission);
    const name = projectName(exchange);
    const id = name === null ? optionalHeader(event, "X-Project-ID") : null;
    if (id !== null) return projects.ofKeyById(key, uuidHeader("X-Project-ID", id), route);
    const { projectId } = key.scope;
    if (name === null) return projectId === null ? null : projects.ofKeyById(key, projectId, route);
    const flaw = nameFlaw("X-Project-Name", name);
    if (flaw !== null) throw invalid(["header", "X-Project-Name"], flaw);
    return projects.ofKey(key, name, route, rateCheck, () => {
      exchange.hasCreatedProject = true;
    });
  };

  /** Counts a request with an API key and resolves the project of its headers at the same time. */
  const admitKey = async <Resolved>(
    exchange: Exchange,
    key: VerifiedKey,
    resolve: (rateCheck: Promise<void>) => Promise<Resolved>,
  ) => {
    const { keyId, organizationId, scope } = key;
    const client = `key#${keyId}`;
    const rateCheck = count(client, exchange);
    const project = resolve(rateCheck);
    await awaitAll<unknown>([rateCheck, reserveReads(client, exchange), project]);
    await bounds?.countForOrganization(organizationId, exchange);
    const principal = { kind: "key", keyId, organizationId } as const;
    return { principal, keyAccess: scope.access, project: await project };
  };

  const admitNamed = (exchange: Exchange, key: VerifiedKey): Promise<Caller> =>
    admitKey(exchange, key, async (rateCheck) => {
      const project = await projectInHeaders(exchange, key, rateCheck);
      if (project === null) throw missingHeader("X-Project-Name");
      return project;
    });

  const admitTelemetry = async (exchange: Exchange, key: VerifiedKey): Promise<TelemetryCaller> => {
    const { project, ...caller } = await admitKey(exchange, key, (rateCheck) =>
      projectInHeaders(exchange, key, rateCheck),
    );
    if (project !== null) return telemetryCaller({ ...caller, project });
    return {
      ...caller,
      organizationId: key.organizationId,
      parentProject: projectInParent(optionalHeader(exchange.event, "x-bt-parent") ?? ""),
      projectFor: telemetryProjects(projects, exchange, key),
    };
  };

  /**
   * Returns the project that a user names: by `X-Project-ID`, or else by `X-Project-Name` in the organization of
   * `X-Organization-ID` or of the user's oldest membership. A missing project is not created.
   */
  const projectOfUser = async (
    { event, route }: Exchange,
    userId: string,
    id: string | Refusal,
  ): Promise<MemberProject> => {
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
    const { project: resolved, role } = await project;
    await bounds?.countForOrganization(resolved.organizationId, exchange);
    const keyAccess = role === "LABELLER" ? "label" : null;
    return { principal: { kind: "user", userId }, keyAccess, project: resolved };
  };

  const verifiedCaller = ({ event }: Exchange) => v.parse(callerContext, event.requestContext.authorizer);

  return {
    named: {
      admit: async (exchange) => {
        const verified = verifiedCaller(exchange);
        return verified.kind === "key" ? admitNamed(exchange, verified) : admitUser(exchange, verified.userId);
      },
    },
    telemetry: {
      admit: async (exchange) => {
        const verified = verifiedCaller(exchange);
        if (verified.kind === "key") return admitTelemetry(exchange, verified);
        return telemetryCaller(await admitUser(exchange, verified.userId));
      },
    },
  };
};
