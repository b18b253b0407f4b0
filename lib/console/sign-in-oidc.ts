import { flowKey, pageUrl, type Flow, type returned } from "./arrival.ts";
import { claimsOf, isTaken, issuers, type Issuer } from "./sign-in-issuers.ts";

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

const challengeOf = async (verifier: string): Promise<string> =>
  base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));

/** Milliseconds within which an issuer must answer. */
const patience = 15_000;

const documentOf = async (url: string, init: RequestInit = {}): Promise<Readonly<Record<string, unknown>>> => {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(url, { ...init, credentials: "omit", signal: AbortSignal.timeout(patience) });
    body = await response.json();
  } catch (error) {
    throw new Error(`${new URL(url).host} could not be reached, or its answer could not be read.`, { cause: error });
  }
  const fields: Readonly<Record<string, unknown>> = typeof body === "object" && body !== null ? { ...body } : {};
  if (response.ok) return fields;
  const said = [fields["error"], fields["error_description"]].filter((part) => typeof part === "string").join(": ");
  throw new Error(`${new URL(url).host} refused the sign-in (${said === "" ? response.status : said}).`);
};

/** An endpoint that the issuer's discovery document names. */
const endpointOf = async ({ issuer }: Issuer, name: string): Promise<string> => {
  const found = await documentOf(`${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`);
  const { [name]: address } = found;
  if (found["issuer"] !== issuer || typeof address !== "string" || !/^https?:\/\//u.test(address))
    throw new Error(`The discovery document of ${issuer} is another issuer's, or has no ${name}.`);
  return address;
};

/** Leaves for the issuer. @param back the fragment to come back to. @throws Error in words for the reader. */
export const leaveFor = async (issuer: Issuer, back: string): Promise<void> => {
  const endpoint = new URL(await endpointOf(issuer, "authorization_endpoint"));
  const flow: Flow = { issuer: issuer.issuer, state: random(), nonce: random(), verifier: random(), back };
  const { clientId, audiences, audienceClaim } = issuer;
  const asked = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: pageUrl,
    scope: "openid profile email",
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await challengeOf(flow.verifier),
    code_challenge_method: "S256",
    // Where the service takes tokens for an interface rather than for the client, some issuers have to be told which.
    ...(audienceClaim === undefined && !audiences.includes(clientId) ? { audience: audiences[0] ?? "" } : {}),
  };
  for (const [name, value] of Object.entries(asked)) endpoint.searchParams.set(name, value);
  sessionStorage.setItem(flowKey, JSON.stringify(flow));
  location.assign(endpoint.href);
};

/** Exchanges what the issuer sent for a token that the service takes. @throws Error in words for the reader. */
export const tokenOf = async ({ answer, flow }: NonNullable<typeof returned>): Promise<string> => {
  const issuer = issuers.find((each) => each.issuer === flow?.issuer);
  if (flow === null || issuer === undefined || answer.get("state") !== flow.state)
    throw new Error("This sign-in was not begun in this tab, or was used before. Begin again.");
  const from = answer.get("iss");
  if (from !== null && from !== issuer.issuer) throw new Error("Another issuer answered. Begin again.");
  const refused = answer.get("error");
  if (refused !== null) {
    const why = answer.get("error_description");
    throw new Error(`The sign-in was refused: ${refused}${why === null ? "" : ` (${why})`}.`);
  }
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code: answer.get("code") ?? "",
    redirect_uri: pageUrl,
    client_id: issuer.clientId,
    code_verifier: flow.verifier,
  });
  const { id_token, access_token } = await documentOf(await endpointOf(issuer, "token_endpoint"), {
    method: "POST",
    body,
  });
  if (typeof id_token !== "string" || claimsOf(id_token)?.["nonce"] !== flow.nonce)
    throw new Error("The issuer's token is not this sign-in's. Begin again.");
  for (const token of [id_token, access_token]) if (isTaken(token, issuer)) return token;
  throw new Error("The issuer gave no token that this service takes: none names one of its audiences.");
};
