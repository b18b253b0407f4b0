import type { Credentials } from "../client/credentials.ts";
import { computed, effect, signal } from "@preact/signals";
import { createClient, type Client } from "../client/client.ts";
import { UnauthorizedError } from "../client/errors.ts";
import { oneTimeValue, issuerResponse, serviceUrl } from "./entry-url.ts";
import { fetchWithNotices } from "./notices.ts";

/** Access of an API key; null if the service does not report it. */
type KeyAccess = Awaited<ReturnType<Client["listReachableProjects"]>>["key_access"];

/** Credential of the signed-in user, an API key or a bearer token, with the displayed project. */
export type Viewer =
  | { readonly kind: "key"; readonly apiKey: string; readonly projectName: string; readonly access: KeyAccess }
  | { readonly kind: "token"; readonly token: string; readonly projectId: string | null };

const storageKey = "assay-reader";

/** Project that was displayed last in this tab, which is opened again after the next sign-in. */
interface LastProject {
  readonly id: string | null;
  readonly name: string | null;
  /** True if the user's role in its organization is LABELLER; absent until the role is known. */
  readonly isOfLabeller?: boolean;
}

const projectKey = "assay-project";

const isViewer = (value: unknown): value is Viewer =>
  typeof value === "object" && value !== null && "kind" in value && (value.kind === "key" || value.kind === "token");

const isProject = (value: unknown): value is LastProject =>
  typeof value === "object" && value !== null && "id" in value && "name" in value;

const readStorage = (key: string): unknown => {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
};

const storedViewer = (): Viewer | null => {
  const value = readStorage(storageKey);
  return isViewer(value) ? value : null;
};

const storedProject = readStorage(projectKey);
const displayedProject = signal<LastProject>(isProject(storedProject) ? storedProject : { id: null, name: null });

/** Returns the last displayed project of this tab; id and name are null if unknown. */
export const lastProject = (): LastProject => displayedProject.value;

/**
 * Returns the keys of the displayed project in the browser's storages, the preferred one first: an API key knows the project by its
 * name until its id is read.
 */
export const storedProjectKeys = (): readonly string[] => {
  const { id, name } = lastProject();
  return [id, name].flatMap((key) => key ?? []);
};

/** Stores the displayed project for the next sign-in. */
export const saveLastProject = (project: LastProject): void => {
  displayedProject.value = project;
  sessionStorage.setItem(projectKey, JSON.stringify(project));
};

/** True if the address signs in: at once in a tab without a session, else after the user has agreed. */
const isSigningIn =
  issuerResponse !== null ||
  (oneTimeValue !== null &&
    (storedViewer() === null ||
      confirm("This tab is signed in. Sign in as the developer of this machine's service instead?")));

/** Stores a viewer in session storage, and its project at once: the credential may expire before both id and name are known. */
const saveViewer = (viewer: Viewer): void => {
  sessionStorage.setItem(storageKey, JSON.stringify(viewer));
  const last = lastProject();
  if (viewer.kind === "key") {
    if (viewer.projectName !== last.name) saveLastProject({ id: null, name: viewer.projectName });
  } else if (viewer.projectId !== null && viewer.projectId !== last.id)
    saveLastProject({ id: viewer.projectId, name: null });
};

/** Signed-in viewer; null while signed out. */
export const currentViewer = signal<Viewer | null>(isSigningIn ? null : storedViewer());
if (currentViewer.value !== null) saveViewer(currentViewer.value);

/** True if the viewer can label traces, and nothing else. */
export const isLabeller = computed(() => displayedProject.value.isOfLabeller === true);

/** False for a labeller and with a read-only API key: controls that change data are not rendered, or hidden by their class `writes`. */
export const canWrite = computed(
  () => !isLabeller.value && (currentViewer.value?.kind !== "key" || currentViewer.value.access !== "read"),
);
effect(() => void document.documentElement.classList.toggle("read-only", !canWrite.value));

/** True if the viewer has access to no project. */
export const hasNoProjects = signal(false);

/** Message for the sign-in page after a forced sign-out; null otherwise. */
export const signOutReason = signal<string | null>(null);

export const signIn = (viewer: Viewer): void => {
  saveViewer(viewer);
  signOutReason.value = null;
  currentViewer.value = viewer;
};

export const signOut = (reason: string | null = null): void => {
  sessionStorage.removeItem(storageKey);
  signOutReason.value = reason;
  currentViewer.value = null;
};

/** The exchange with issuers, which most visits need not load. */
const issuerClient = () => import("./sign-in-oidc.ts");

/** Signs out here and, with a token of an issuer that can end its session, there. */
export const signOutEverywhere = async (): Promise<void> => {
  const viewer = currentViewer.value;
  signOut();
  if (viewer?.kind !== "token") return;
  try {
    const { endIssuerSession } = await issuerClient();
    await endIssuerSession(viewer.token);
  } catch (error) {
    signOutReason.value = `You are signed out here, but maybe not at the issuer: ${error instanceof Error ? error.message : String(error)}`;
  }
};

/** State of the exchange of an issuer's code or a one-time value for a session. */
export const issuerSignIn = signal<{ readonly isPending: boolean; readonly error: unknown }>({
  isPending: isSigningIn,
  error: null,
});

/** @throws Error with a message for the user, also of a deployment, which accepts no value. */
const exchangeValue = async (value: string) => {
  const response = await fetch(`${serviceUrl}/local-sign-in`, { method: "POST", body: value });
  const { token, project_id: projectId }: Partial<Record<string, unknown>> = Object(await response.json());
  if (response.ok && typeof token === "string" && typeof projectId === "string") return { token, projectId };
  throw new Error("This address was used before. The terminal of npm start shows another one.");
};

const finishSignIn = async (): Promise<void> => {
  try {
    const session =
      issuerResponse === null
        ? await exchangeValue(oneTimeValue ?? "")
        : { token: await (await issuerClient()).exchangeCode(issuerResponse), projectId: lastProject().id };
    signIn({ kind: "token", ...session });
    issuerSignIn.value = { isPending: false, error: null };
  } catch (error) {
    issuerSignIn.value = { isPending: false, error };
  }
};
if (isSigningIn) void finishSignIn();

const credentialsOf = (viewer: Viewer): Credentials =>
  viewer.kind === "key"
    ? { apiKey: viewer.apiKey, projectName: viewer.projectName }
    : { token: viewer.token, ...(viewer.projectId === null ? {} : { projectId: viewer.projectId }) };

const clientWith = (fetchThrough: typeof fetch): Client =>
  createClient({
    baseUrl: serviceUrl,
    fetch: fetchThrough,
    ...(currentViewer.value === null ? {} : { credentials: credentialsOf(currentViewer.value) }),
  });

/** API client with the credentials of the current viewer. */
export const client = computed(() => clientWith(fetchWithNotices));

/** Returns a client whose requests have a header of their own and, if it is given, a body instead of the JSON of their calls. */
export const clientSending = (
  name: string,
  value: string,
  body?: Blob,
  onReply: (reply: Response) => Promise<void> = async () => {},
): Client =>
  clientWith(async (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set(name, value);
    const reply = await fetchWithNotices(url, { ...init, headers, ...(body && { body }) });
    await onReply(reply.clone());
    return reply;
  });

/** Signs out if the error is a 401 of the service. */
export const signOutIfUnauthorized = (error: unknown): void => {
  if (error instanceof UnauthorizedError && currentViewer.value !== null)
    signOut("Your session has ended. Sign in again; nothing is lost.");
};
