import { useSignal } from "@preact/signals";
import { createClient } from "../client/client.ts";
import { serviceUrl, signedOutBecause, signIn } from "./sign-in.ts";
import { Trouble } from "./parts/trouble.tsx";

/** Takes a key, tries it, and keeps it in this tab alone. */
export const SignInPage = () => {
  const [apiKey, projectName] = [useSignal(""), useSignal("")];
  const [error, isTrying] = [useSignal<unknown>(null), useSignal(false)];
  const enter = async (): Promise<void> => {
    isTrying.value = true;
    error.value = null;
    const given = { apiKey: apiKey.value.trim(), projectName: projectName.value.trim() };
    try {
      await createClient({ baseUrl: serviceUrl, credentials: given, retries: 1 }).listReachableProjects();
      signIn({ kind: "key", ...given });
    } catch (thrown) {
      error.value = thrown;
    }
    isTrying.value = false;
  };
  return (
    <main class="sign-in">
      <h1>Assay</h1>
      {signedOutBecause.value !== null && <p role="status">{signedOutBecause}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <label>
          API key
          <input
            type="password"
            autocomplete="off"
            required
            value={apiKey}
            onInput={({ currentTarget }) => (apiKey.value = currentTarget.value)}
          />
        </label>
        <label>
          Project
          <input
            required
            value={projectName}
            onInput={({ currentTarget }) => (projectName.value = currentTarget.value)}
          />
        </label>
        <button type="submit" class="main" disabled={isTrying}>
          {isTrying.value ? "Trying the key …" : "Sign in"}
        </button>
      </form>
      <p class="faint">
        A key that may only read is enough to look around. It stays in this tab and is forgotten when the tab is closed.
        On a laptop the address that <code>npm start</code> prints signs in by itself.
      </p>
      {error.value !== null && <Trouble error={error.value} again={() => void enter()} />}
    </main>
  );
};
