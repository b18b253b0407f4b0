import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import type { Route } from "../contract/route.ts";
import { nameFlaw } from "../domain/access/names.ts";
import type { Principal, Project } from "../domain/access/principal.ts";
import { invalid, notFound, Refusal } from "../domain/refusal.ts";
import type { Access } from "../store/access/projects-of-callers.ts";
import type { RateLimits } from "../store/access/rate-limits.ts";
import type { SignedIn, Users } from "../store/access/users.ts";
import { optionalHeader, uuidIn } from "./one-header.ts";
import { remembering } from "./remembering.ts";
import { requestCount } from "./request-count.ts";
import { type Verified, verifiedOf } from "./principal-context.ts";

/** Who is asking, and for which project. */
export interface Caller {
  readonly principal: Principal;
  readonly project: Project;
}

/** Lets a request in and says who is asking, or throws the refusal that answers it. */
export interface Gate<Admitted extends object = Caller> {
  admit(event: APIGatewayProxyEvent, route: Route): Promise<Admitted>;
}

const foreign = "Project not found or does not belong to your organization.";

/** The value of a header that has to be given, once. @throws Refusal `invalid` naming it. */
const header = (event: APIGatewayProxyEvent, name: string): string => {
  const value = optionalHeader(event, name);
  if (value === null) throw invalid(["header", name], "Field required", "missing");
  return value;
};

/** The gate of the data plane. @param factor on every limit; 1 is the contract. */
export const projectGate = (
  access: Access,
  users: Users,
  limits: RateLimits,
  factor: number,
  now: () => number = Date.now,
): Gate => {
  const remembered = remembering<Project>(now);
  const signedIn = remembering<void>(now);

  const projectOfKey = async (event: APIGatewayProxyEvent, key: Principal & { kind: "key" }): Promise<Project> => {
    const { organizationId } = key;
    const name = header(event, "X-Project-Name");
    const flaw = nameFlaw("X-Project-Name", name);
    if (flaw !== null) throw invalid(["header", "X-Project-Name"], flaw);
    return remembered([organizationId, name], () => access.projectNamed(organizationId, name, key));
  };

  const projectOfUser = (event: APIGatewayProxyEvent, userId: string): Promise<Project> => {
    const id = uuidIn("X-Project-ID", header(event, "X-Project-ID"));
    return remembered([userId, id, "user"], async () => {
      const project = await access.findProject(id);
      if (project === null || !(await access.isMember(project.organizationId, userId))) throw notFound(foreign);
      return project;
    });
  };

  const signIn = (user: SignedIn): Promise<void> =>
    signedIn([user.userId, user.email, user.displayName], () => users.signIn(user));

  const count = requestCount(limits, factor);

  const admitKey = async (event: APIGatewayProxyEvent, route: Route, key: Verified & { kind: "key" }) => {
    await count(`key#${key.keyId}`, route);
    return { principal: key, project: await projectOfKey(event, key) };
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
