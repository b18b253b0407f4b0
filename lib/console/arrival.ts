/**
 * What a reader comes with, taken out of the address before anything else looks at it: neither a reload nor the history nor
 * a copied address has it.
 */

const path = location.pathname.replace(/\/(?:console|cli-login)\/?$/u, "");

/** The service's address: the page lies directly below it, whatever its stage. */
export const serviceUrl = `${location.origin}${path}`;

/** The page's own address, where issuers send people back to. */
export const pageUrl = `${serviceUrl}/console`;

/** Kept in this tab while its reader is at an issuer. */
export const flowKey = "assay-sign-in";

/** A sign-in that is under way at an issuer. */
export interface Flow {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The fragment to come back to. */
  readonly back: string;
}

const isFlow = (value: unknown): value is Flow =>
  typeof value === "object" && value !== null && "state" in value && "verifier" in value && "back" in value;

/** The sign-in that was under way; it is used once. */
const takeFlow = (): Flow | null => {
  const flow: unknown = JSON.parse(sessionStorage.getItem(flowKey) ?? "null");
  sessionStorage.removeItem(flowKey);
  return isFlow(flow) ? flow : null;
};

const goingOn = (fragment: string): void => history.replaceState(null, "", `${pageUrl}${fragment}`);

const search = new URLSearchParams(location.search);
const isReturn = search.has("state") && (search.has("code") || search.has("error"));
const isCommandLine = /\/cli-login\/?$/u.test(location.pathname);

/** What an issuer has sent its reader back with; null where nobody comes from one. */
export const returned = isReturn && !isCommandLine ? { answer: search, flow: takeFlow() } : null;

const fragment = new URLSearchParams(location.hash.replace(/^#/u, ""));
const token = fragment.get("token");

/** A token that came in the fragment, which is sent to nobody. */
export const handedOver = token === null ? null : { token, project: fragment.get("project") };

if (isCommandLine) goingOn(`#/cli-login${location.search}`);
else if (returned !== null) goingOn(returned.flow?.back ?? "#/traces");
else if (handedOver !== null) goingOn("#/traces");

/** Where the reader begins. */
export const firstFragment = location.hash;
