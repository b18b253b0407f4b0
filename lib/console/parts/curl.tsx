import type { ComponentChildren } from "preact";
import { serviceUrl } from "../entry-url.ts";
import { currentViewer } from "../sign-in.ts";
import { CopyButton } from "./copy-button.tsx";

/** Returns a curl command for a path of the project, with an environment variable in place of the secret. @param json body of a POST. */
export const curlCommand = (path: string, json = ""): string => {
  const viewer = currentViewer.value;
  const url = `${serviceUrl}${path}`;
  const body = json === "" ? "" : ` -H 'Content-Type: application/json' -d '${json}'`;
  return viewer?.kind === "key"
    ? `curl '${url}' -H "X-API-Key: $ASSAY_KEY" -H 'X-Project-Name: ${viewer.projectName.replaceAll("'", "'\\''")}'${body}`
    : `curl '${url}' -H "Authorization: Bearer $ASSAY_TOKEN" -H 'X-Project-ID: ${viewer?.projectId ?? ""}'${body}`;
};

/** What an empty list shows: what belongs there, and a command or program that adds it. */
export const EmptyNote = ({
  command,
  children,
}: {
  readonly command: string;
  readonly children: ComponentChildren;
}) => (
  <div class="empty">
    <p>{children}</p>
    <pre class="data" tabIndex={0}>
      {command}
    </pre>
    <CopyButton text={command}>Copy</CopyButton>
  </div>
);
