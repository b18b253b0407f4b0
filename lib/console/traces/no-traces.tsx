import { goTo, hrefTo } from "../place.ts";
import { serviceUrl } from "../arrival.ts";
import { reader } from "../sign-in.ts";
import { Copy } from "../parts/copy.tsx";

const callFor = (project: string): string =>
  [
    `curl ${serviceUrl}/traces \\`,
    `  -H "X-API-Key: $ASSAY_KEY" -H "X-Project-Name: ${project}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '{"name": "first", "started_at": "${new Date().toISOString()}", "input": "Hello?", "output": "Hello."}'`,
  ].join("\n");

/** Nothing is there: what to do next. */
export const NoTraces = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  if (isFiltered)
    return (
      <div class="empty">
        <p>No trace fits these filters.</p>
        <button type="button" onClick={() => goTo(hrefTo("traces"))}>
          Show all traces
        </button>
      </div>
    );
  const who = reader.value;
  const call = callFor(who?.kind === "key" ? who.projectName : "default");
  return (
    <div class="empty">
      <p>This project has no traces yet. Send the first:</p>
      <pre class="data">{call}</pre>
      <Copy text={call}>Copy the call</Copy>
      <p>
        SDKs and OpenTelemetry: <a href={`${serviceUrl}/docs`}>the interface</a>
      </p>
    </div>
  );
};
