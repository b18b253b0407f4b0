import { useSignal } from "@preact/signals";
import { handleSubmit, bindText } from "../parts/form-bindings.ts";
import { createClient, type Client } from "../../client/client.ts";
import { serviceUrl } from "../entry-url.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { issuers, type Issuer } from "../sign-in-issuers.ts";
import { redirectToIssuer } from "../sign-in-oidc.ts";
import { lastProject, saveLastProject, issuerSignIn, signOutReason, signIn } from "../sign-in.ts";

/** Returns the name of a key's first project to open: the last displayed one if the key has access, else the newest. */
const firstProjectOf = async (client: Client): Promise<string | null> => {
  const { id, name } = lastProject();
  let newest: string | null = null;
  for await (const project of client.each.listReachableProjects({ query: { limit: 100 } })) {
    if (project.id === id || project.name === name) {
      // Drafts are stored by the project's id.
      saveLastProject({ id: project.id, name: project.name });
      return project.name;
    }
    newest ??= project.name;
    // Without a last project the newest one is enough.
    if (id === null && name === null) break;
  }
  return newest;
};

/** Form that checks an API key and stores it in this tab. */
const KeyForm = () => {
  const [apiKey, projectName, needsProject] = [useSignal(""), useSignal(""), useSignal(false)];
  const [error, isChecking] = [useSignal<unknown>(null), useSignal(false)];
  const signInWithKey = async (): Promise<void> => {
    isChecking.value = true;
    error.value = null;
    const key = apiKey.value.trim();
    try {
      const keyClient = createClient({ baseUrl: serviceUrl, credentials: { apiKey: key }, retries: 1 });
      const { key_access: access } = await keyClient.listReachableProjects({ query: { limit: 1 } });
      const projectToOpen = needsProject.value ? projectName.value.trim() : await firstProjectOf(keyClient);
      if (projectToOpen === null) needsProject.value = true;
      else signIn({ kind: "key", apiKey: key, projectName: projectToOpen, access });
    } catch (thrown) {
      error.value = thrown;
    }
    isChecking.value = false;
  };
  return (
    <>
      <form onSubmit={handleSubmit(signInWithKey)}>
        <label>
          API key
          <input type="password" autocomplete="off" spellcheck={false} required {...bindText(apiKey)} />
        </label>
        {needsProject.value && (
          <label>
            The key’s organization has no project yet. Name of the first project
            <input required {...bindText(projectName)} />
          </label>
        )}
        <button type="submit" class={issuers.length === 0 ? "main" : undefined} disabled={isChecking}>
          {isChecking.value ? "Checking the key …" : "Sign in with the key"}
        </button>
      </form>
      <p class="faint">
        A read-only key is enough to browse, and the safest to paste. It is kept in this tab and the tabs opened from it
        until they are closed. For a local service, open the URL that <code>npm start</code> prints.
      </p>
      <ErrorAlert error={error.value} reload={() => void signInWithKey()} isSeparate />
    </>
  );
};

/** Sign-in page: a button for each issuer of the service, and the form for an API key. */
export const SignInPage = () => {
  const [error, pendingIssuer] = [useSignal<unknown>(null), useSignal<string | null>(null)];
  const redirect = async (issuer: Issuer): Promise<void> => {
    pendingIssuer.value = issuer.issuer;
    error.value = null;
    issuerSignIn.value = { isPending: false, error: null };
    try {
      await redirectToIssuer(issuer, location.hash);
    } catch (thrown) {
      error.value = thrown;
      pendingIssuer.value = null;
    }
  };
  const { isPending, error: issuerError } = issuerSignIn.value;
  const failure = error.value ?? issuerError;
  if (isPending)
    return (
      <main class="sign-in" aria-busy="true">
        <h1>Assay</h1>
        <p role="status">Signing in …</p>
      </main>
    );
  return (
    <main class="sign-in">
      <h1>Assay</h1>
      {signOutReason.value !== null && <p role="status">{signOutReason}</p>}
      {failure !== null && (
        <p class="trouble" role="alert">
          {failure instanceof Error ? failure.message : "The sign-in failed. Try again."}
        </p>
      )}
      {issuers.map((issuer) => (
        <button
          type="button"
          class="main"
          disabled={pendingIssuer.value !== null}
          onClick={() => void redirect(issuer)}
        >
          {pendingIssuer.value === issuer.issuer ? "Redirecting …" : `Sign in with ${new URL(issuer.issuer).host}`}
        </button>
      ))}
      {issuers.length > 0 && <h2>Or with an API key</h2>}
      <KeyForm />
    </main>
  );
};
