import { computed, signal } from "@preact/signals";
import { createClient, type Client } from "../client/client.ts";
import { UnauthorizedError } from "../client/errors.ts";

/** Who reads, and which project. */
export type Reader =
  | { readonly kind: "key"; readonly apiKey: string; readonly projectName: string }
  | { readonly kind: "token"; readonly token: string; readonly projectId: string | null };

const storageKey = "assay-reader";

const isReader = (value: unknown): value is Reader =>
  typeof value === "object" && value !== null && "kind" in value && (value.kind === "key" || value.kind === "token");

const stored = (): Reader | null => {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "null");
    return isReader(value) ? value : null;
  } catch {
    return null;
  }
};

/** A token that came with the address: a fragment is sent to nobody. It is taken out of the address at once. */
const handedOver = (): Reader | null => {
  const given = new URLSearchParams(location.hash.replace(/^#/u, ""));
  const token = given.get("token");
  if (token === null) return null;
  history.replaceState(null, "", `${location.pathname}#/traces`);
  return { kind: "token", token, projectId: given.get("project") };
};

export const reader = signal<Reader | null>(handedOver() ?? stored());
if (reader.value !== null) sessionStorage.setItem(storageKey, JSON.stringify(reader.value));

/** Why there is no reader, when somebody was. */
export const signedOutBecause = signal<string | null>(null);

export const signIn = (who: Reader): void => {
  sessionStorage.setItem(storageKey, JSON.stringify(who));
  signedOutBecause.value = null;
  reader.value = who;
};

export const signOut = (because: string | null = null): void => {
  sessionStorage.removeItem(storageKey);
  signedOutBecause.value = because;
  reader.value = null;
};

/** The service's address: the page lies directly below it, whatever its stage. */
export const serviceUrl = `${location.origin}${location.pathname.replace(/\/console\/?$/u, "")}`;

const credentialsOf = (who: Reader) =>
  who.kind === "key"
    ? { apiKey: who.apiKey, projectName: who.projectName }
    : { token: who.token, ...(who.projectId === null ? {} : { projectId: who.projectId }) };

/** The service as the reader may call it. */
export const client = computed((): Client =>
  createClient({
    baseUrl: serviceUrl,
    ...(reader.value === null ? {} : { credentials: credentialsOf(reader.value) }),
  }),
);

/** Notes that a credential has ended, wherever it was noticed. */
export const notice = (error: unknown): void => {
  if (error instanceof UnauthorizedError && reader.value !== null)
    signOut("Your session has ended. Sign in again; nothing is lost.");
};
