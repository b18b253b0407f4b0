import { navigate, hrefTo } from "../route.ts";
import { serviceUrl } from "../entry-url.ts";
import { currentViewer } from "../sign-in.ts";
import { CopyButton } from "../parts/copy-button.tsx";

const curlFor = (project: string): string =>
  [
    `curl ${serviceUrl}/traces \\`,
    `  -H "X-API-Key: $ASSAY_KEY" -H "X-Project-Name: ${project}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '{"name": "first", "started_at": "${new Date().toISOString()}", "input": "Hello?", "output": "Hello."}'`,
  ].join("\n");

/** Empty state of the trace list: a button that removes the filters, or a command that sends a first trace. */
export const NoTraces = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  if (isFiltered)
    return (
      <div class="empty">
        <p>No traces match these filters.</p>
        <button type="button" onClick={() => navigate(hrefTo("traces"))}>
          Show all traces
        </button>
      </div>
    );
  const viewer = currentViewer.value;
  const command = curlFor(viewer?.kind === "key" ? viewer.projectName : "default");
  return (
    <div class="empty">
      <p>This project has no traces yet. Send the first:</p>
      <pre class="data">{command}</pre>
      <CopyButton text={command}>Copy command</CopyButton>
      <p>
        SDKs and OpenTelemetry: <a href={`${serviceUrl}/docs`}>API docs</a>
      </p>
    </div>
  );
};
