import { useSignal } from "@preact/signals";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { serviceUrl } from "../entry-url.ts";
import { FirstTrace } from "../start/first-trace.tsx";
import { KeyMaker } from "../start/key-maker.tsx";
import { SnippetView } from "../start/snippet-view.tsx";
import { useDestination } from "../start/use-destination.ts";

/** Page that shows how to send traces to the project, and waits for the first one. */
export const StartPage = () => {
  const { value: project, error, reload } = useDestination();
  const rawKey = useSignal<string | null>(null);
  return (
    <main class="start">
      <h1>Send traces</h1>
      <FirstTrace />
      <ErrorAlert error={error} reload={reload} />
      {project === null ? (
        error === null && <LoadingNote>Loading the project</LoadingNote>
      ) : (
        <>
          <KeyMaker project={project} rawKey={rawKey} />
          <SnippetView destination={{ serviceUrl, projectName: project.name, apiKey: rawKey.value ?? "sk_as_..." }} />
        </>
      )}
    </main>
  );
};
