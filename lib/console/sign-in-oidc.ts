import { flowStorageKey, consoleUrl, type SignInFlow, type issuerResponse } from "./entry-url.ts";
import { claimsOf, isAcceptedToken, issuers, type Issuer } from "./sign-in-issuers.ts";

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const randomToken = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

const challengeOf = async (verifier: string): Promise<string> =>
  base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));

/** Timeout of a request to an issuer, in milliseconds. */
const issuerTimeout = 15_000;

const fetchJson = async (url: string, init: RequestInit = {}): Promise<Readonly<Record<string, unknown>>> => {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(url, { ...init, credentials: "omit", signal: AbortSignal.timeout(issuerTimeout) });
    body = await response.json();
  } catch (error) {
    throw new Error(`${new URL(url).host} could not be reached, or its response is not JSON.`, { cause: error });
  }
  const fields: Readonly<Record<string, unknown>> = typeof body === "object" && body !== null ? { ...body } : {};
  if (response.ok) return fields;
  const reason = [fields["error"], fields["error_description"]].filter((part) => typeof part === "string").join(": ");
  throw new Error(`${new URL(url).host} refused the sign-in (${reason === "" ? response.status : reason}).`);
};

/** Returns an endpoint URL from the issuer's discovery document; null if it names none. @throws Error if the document is of another issuer. */
const optionalEndpoint = async ({ issuer }: Issuer, name: string): Promise<string | null> => {
  const metadata = await fetchJson(`${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`);
  const { [name]: address } = metadata;
  if (metadata["issuer"] !== issuer) throw new Error(`The discovery document of ${issuer} is for another issuer.`);
  return typeof address === "string" && /^https?:\/\//u.test(address) ? address : null;
};

/** Returns an endpoint URL from the issuer's discovery document. @throws Error if the document is invalid. */
const discoverEndpoint = async (issuer: Issuer, name: string): Promise<string> => {
  const address = await optionalEndpoint(issuer, name);
  if (address === null) throw new Error(`The discovery document of ${issuer.issuer} has no ${name}.`);
  return address;
};

/**
 * Ends the session at the issuer of a token, where the issuer has an endpoint for it; the browser returns from there to the
 * console. The next sign-in then asks who it is, also on a shared machine.
 *
 * @throws Error with a message for the user.
 */
export const endIssuerSession = async (token: string): Promise<void> => {
  const issuer = issuers.find((each) => each.issuer === claimsOf(token)?.["iss"]);
  const address = issuer === undefined ? null : await optionalEndpoint(issuer, "end_session_endpoint");
  if (issuer === undefined || address === null) return;
  const endpoint = new URL(address);
  // Amazon Cognito names the address to return to `logout_uri`. The hint is left out: it would stand in histories.
  const params: Readonly<Record<string, string>> = {
    client_id: issuer.clientId,
    post_logout_redirect_uri: consoleUrl,
    logout_uri: consoleUrl,
  };
  for (const [name, value] of Object.entries(params)) endpoint.searchParams.set(name, value);
  location.assign(endpoint.href);
};

/** Redirects to the issuer's sign-in page. @param back URL fragment to return to. @throws Error with a message for the user. */
export const redirectToIssuer = async (issuer: Issuer, back: string): Promise<void> => {
  const endpoint = new URL(await discoverEndpoint(issuer, "authorization_endpoint"));
  const flow: SignInFlow = {
    issuer: issuer.issuer,
    state: randomToken(),
    nonce: randomToken(),
    verifier: randomToken(),
    back,
  };
  const { clientId, audiences, audienceClaim } = issuer;
  const params: Readonly<Record<string, string>> = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: consoleUrl,
    scope: "openid profile email",
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await challengeOf(flow.verifier),
    code_challenge_method: "S256",
    // Some issuers need the audience when tokens are for an API and not for the client.
    ...(audienceClaim === undefined && !audiences.includes(clientId) ? { audience: audiences[0] ?? "" } : {}),
  };
  for (const [name, value] of Object.entries(params)) endpoint.searchParams.set(name, value);
  sessionStorage.setItem(flowStorageKey, JSON.stringify(flow));
  location.assign(endpoint.href);
};

/** Exchanges the issuer's authorization code for a token with an accepted audience. @throws Error with a message for the user. */
export const exchangeCode = async ({ answer, flow }: NonNullable<typeof issuerResponse>): Promise<string> => {
  const issuer = issuers.find((each) => each.issuer === flow?.issuer);
  if (flow === null || issuer === undefined || answer.get("state") !== flow.state)
    throw new Error("This sign-in was not started in this tab, or was already used. Start again.");
  const iss = answer.get("iss");
  if (iss !== null && iss !== issuer.issuer) throw new Error("Another issuer answered. Start again.");
  const errorCode = answer.get("error");
  if (errorCode !== null) {
    const description = answer.get("error_description");
    throw new Error(`The sign-in was refused: ${errorCode}${description === null ? "" : ` (${description})`}.`);
  }
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code: answer.get("code") ?? "",
    redirect_uri: consoleUrl,
    client_id: issuer.clientId,
    code_verifier: flow.verifier,
  });
  const { id_token, access_token } = await fetchJson(await discoverEndpoint(issuer, "token_endpoint"), {
    method: "POST",
    body,
  });
  if (typeof id_token !== "string" || claimsOf(id_token)?.["nonce"] !== flow.nonce)
    throw new Error("The issuer's token is for another sign-in. Start again.");
  for (const token of [id_token, access_token]) if (isAcceptedToken(token, issuer)) return token;
  throw new Error("The issuer returned no token with an audience of this service.");
};
