import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import type { Route } from "../contract/route.ts";
import { nameFlaw } from "../domain/names.ts";
import type { Principal, Project } from "../domain/principal.ts";
import { invalid, notFound, Refusal } from "../domain/refusal.ts";
import type { Access } from "../store/access.ts";
import type { RateLimits } from "../store/rate-limits.ts";
import type { SignedIn, Users } from "../store/users.ts";
import { headerValues } from "./event.ts";
import { type Verified, verifiedOf } from "./principal-context.ts";

/** Who is asking, and for which project. */
export interface Caller {
  readonly principal: Principal;
  readonly project: Project;
}

/** Lets a request of a verified principal in, or throws the refusal that answers it. */
export interface Gate {
  admit(event: APIGatewayProxyEvent, route: Route): Promise<Caller>;
}

const foreign = "Project not found or does not belong to your organization.";
const uuidForm = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Membership and the name of a project change seldom; a change takes effect everywhere within this time. */
const cacheMilliseconds = 30_000;
const cacheSize = 5_000;

const header = (event: APIGatewayProxyEvent, name: string): string => {
  const sent = new Set(headerValues(event, name).map((value) => value.trim()));
  const [value, ...others] = [...sent].filter((each) => each !== "");
  if (value === undefined) throw invalid(["header", name], "Field required", "missing");
  if (others.length > 0) throw invalid(["header", name], "Header should be given once");
  return value;
};

/** What was found less than 30 seconds ago. */
const memory = <Value>(now: () => number) => {
  const cache = new Map<string, { readonly value: Value; readonly until: number }>();
  return async (key: readonly (string | null)[], find: () => Promise<Value>): Promise<Value> => {
    const name = JSON.stringify(key);
    const known = cache.get(name);
    if (known !== undefined && known.until > now()) return known.value;
    const until = now() + cacheMilliseconds;
    const value = await find();
    if (cache.size >= cacheSize) cache.clear();
    cache.set(name, { value, until });
    return value;
  };
};

/** The gate of the data plane. @param factor on every limit; 1 is the contract. */
export const projectGate = (
  access: Access,
  users: Users,
  limits: RateLimits,
  factor: number,
  now: () => number = Date.now,
): Gate => {
  const remembered = memory<Project>(now);
  const signedIn = memory<void>(now);

  const projectOfKey = (event: APIGatewayProxyEvent, organizationId: string): Promise<Project> => {
    const name = header(event, "X-Project-Name");
    const flaw = nameFlaw("X-Project-Name", name);
    if (flaw !== null) throw invalid(["header", "X-Project-Name"], flaw);
    return remembered([organizationId, name], () => access.projectNamed(organizationId, name));
  };

  const projectOfUser = (event: APIGatewayProxyEvent, userId: string): Promise<Project> => {
    const id = header(event, "X-Project-ID").toLowerCase();
    if (!uuidForm.test(id)) throw invalid(["header", "X-Project-ID"], "Input should be a valid UUID", "uuid");
    return remembered([userId, id, "user"], async () => {
      const project = await access.findProject(id);
      if (project === null || !(await access.isMember(project.organizationId, userId))) throw notFound(foreign);
      return project;
    });
  };

  const signIn = (user: SignedIn): Promise<void> =>
    signedIn([user.userId, user.email, user.displayName], () => users.signIn(user));

  const count = async (client: string, route: Route): Promise<void> => {
    if (route.limitPerMinute === undefined) return;
    const perMinute = Math.max(1, Math.round(route.limitPerMinute * factor));
    const retryAfter = await limits.count(client, route.id, perMinute);
    if (retryAfter === null) return;
    throw new Refusal({
      kind: "rate-limited",
      detail: `Rate limit exceeded: ${perMinute} per minute.`,
      retryAfter,
    });
  };

  const admitKey = async (event: APIGatewayProxyEvent, route: Route, key: Verified & { kind: "key" }) => {
    await count(`key#${key.keyId}`, route);
    return { principal: key, project: await projectOfKey(event, key.organizationId) };
  };

  const admitUser = async (event: APIGatewayProxyEvent, route: Route, user: SignedIn): Promise<Caller> => {
    const { userId } = user;
    const finding = async (): Promise<Project | Refusal> => {
      try {
        return await projectOfUser(event, userId);
      } catch (error) {
        if (error instanceof Refusal) return error;
        throw error;
      }
    };
    const [found] = await Promise.all([finding(), signIn(user)]);
    // A user is a client within an organization, which only the project tells; what names none counts by itself.
    const organization = found instanceof Refusal ? "none" : found.organizationId;
    await count(`user#${userId}#${organization}`, route);
    if (found instanceof Refusal) throw found;
    return { principal: { kind: "user", userId }, project: found };
  };

  return {
    admit: async (event, route) => {
      const verified = v.parse(verifiedOf, event.requestContext.authorizer);
      return verified.kind === "key" ? admitKey(event, route, verified) : admitUser(event, route, verified);
    },
  };
};
