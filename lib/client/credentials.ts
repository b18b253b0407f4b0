/** An API key of an organization, and the name of the project that project operations use. */
export interface KeyCredentials {
  readonly apiKey: string;
  readonly projectName?: string | undefined;
}

/**
 * A bearer token of the identity provider, with the ids of the project and the organization that operations use. A function is
 * called before each attempt, so that it can return a fresh token.
 */
export interface TokenCredentials {
  readonly token: string | (() => string | Promise<string>);
  readonly projectId?: string | undefined;
  readonly organizationId?: string | undefined;
}

/** Credentials of a client: an API key or a bearer token. */
export type Credentials = KeyCredentials | TokenCredentials;

/** Required credentials of an operation, by the `access` of its route. */
export type RequiredCredentials = "public" | "project" | "organization" | "user";

const definedHeaders = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** Returns the request headers for credentials and the selected project or organization; empty for public operations. */
export const credentialHeaders = async (
  credentials: Credentials | undefined,
  access: RequiredCredentials,
): Promise<Readonly<Record<string, string>>> => {
  if (credentials === undefined || access === "public") return {};
  if ("apiKey" in credentials) {
    const { apiKey, projectName } = credentials;
    return definedHeaders({ "X-API-Key": apiKey, "X-Project-Name": access === "project" ? projectName : undefined });
  }
  const { token, projectId, organizationId } = credentials;
  return definedHeaders({
    Authorization: `Bearer ${typeof token === "string" ? token : await token()}`,
    "X-Project-ID": access === "project" ? projectId : undefined,
    "X-Organization-ID": access === "project" ? undefined : organizationId,
  });
};
