/**
 * URL that the console was opened with. Sign-in answers and tokens are removed from it before any other module reads it, so
 * a reload, the history and a copied URL contain no credential.
 */

const path = location.pathname.replace(/\/(?:console|cli-login)\/?$/u, "");

/** Base URL of the service: the URL of the console without its last path segment, with any API stage before it. */
export const serviceUrl = `${location.origin}${path}`;

/** URL of the console, which is also the redirect URI of sign-ins. */
export const consoleUrl = `${serviceUrl}/console`;

/** Key of the pending sign-in in session storage. */
export const flowStorageKey = "assay-sign-in";

/** State of an OpenID Connect sign-in while the browser is at the issuer. */
export interface SignInFlow {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** URL fragment to open after the sign-in. */
  readonly back: string;
}

const isSignInFlow = (value: unknown): value is SignInFlow =>
  typeof value === "object" && value !== null && "state" in value && "verifier" in value && "back" in value;

/** Reads the pending sign-in from session storage and deletes it; null without one. */
const takeFlow = (): SignInFlow | null => {
  const flow: unknown = JSON.parse(sessionStorage.getItem(flowStorageKey) ?? "null");
  sessionStorage.removeItem(flowStorageKey);
  return isSignInFlow(flow) ? flow : null;
};

const replaceHash = (fragment: string): void => history.replaceState(null, "", `${consoleUrl}${fragment}`);

const search = new URLSearchParams(location.search);
const isReturn = search.has("state") && (search.has("code") || search.has("error"));
const isCommandLine = /\/cli-login\/?$/u.test(location.pathname);

/** Query parameters of an issuer's redirect with the pending sign-in; null if the page was opened otherwise. */
export const issuerResponse = isReturn && !isCommandLine ? { answer: search, flow: takeFlow() } : null;

const fragment = new URLSearchParams(location.hash.replace(/^#/u, ""));

/** Value in the address that a service on this machine prints, which it exchanges once for a session; null without one. */
export const oneTimeValue = isCommandLine ? null : fragment.get("once");

if (isCommandLine) replaceHash(`#/cli-login${location.search}`);
else if (issuerResponse !== null) replaceHash(issuerResponse.flow?.back ?? "#/traces");
else if (oneTimeValue !== null || fragment.has("token")) replaceHash("#/traces");

/** URL fragment of the first page to show. */
export const initialHash = location.hash;
