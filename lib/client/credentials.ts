/** A key of an organization and the name of the project that calls are about. */
export interface KeyCredentials {
  readonly apiKey: string;
  readonly projectName?: string | undefined;
}

/** A token of the identity provider, or what gives a fresh one before each call, and what calls are about. */
export interface TokenCredentials {
  readonly token: string | (() => string | Promise<string>);
  readonly projectId?: string | undefined;
  readonly organizationId?: string | undefined;
}

export type Credentials = KeyCredentials | TokenCredentials;

/** Who may call an operation, as the route says it. */
export type Access = "public" | "project" | "organization" | "user";

const given = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** The headers that show who calls, and about what. */
export const credentialHeaders = async (
  credentials: Credentials | undefined,
  access: Access,
): Promise<Readonly<Record<string, string>>> => {
  if (credentials === undefined || access === "public") return {};
  if ("apiKey" in credentials) {
    const { apiKey, projectName } = credentials;
    return given({ "X-API-Key": apiKey, "X-Project-Name": access === "project" ? projectName : undefined });
  }
  const { token, projectId, organizationId } = credentials;
  return given({
    Authorization: `Bearer ${typeof token === "string" ? token : await token()}`,
    "X-Project-ID": access === "project" ? projectId : undefined,
    "X-Organization-ID": access === "project" ? undefined : organizationId,
  });
};
