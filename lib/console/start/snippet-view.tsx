import type { ComponentChildren } from "preact";
import type { Destination } from "../../domain/destination.ts";
import { Switch, titlesByName } from "../parts/controls.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { serviceUrl } from "../entry-url.ts";
import { route, updateQuery } from "../route.ts";
import { exportLines, runCommand, snippets, type SnippetName } from "./snippets.ts";

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object's keys are the names it was written with.
const names = Object.keys(snippets) as readonly SnippetName[];

/** Parses the tab of the URL; OpenTelemetry by default. */
const tabOf = ({ tab }: Readonly<Record<string, string>>): SnippetName =>
  names.find((name) => name === tab) ?? "opentelemetry";

const Block = ({ text, children }: { readonly text: string; readonly children: ComponentChildren }) => (
  <li>
    <div class="title">
      <h2>{children}</h2>
      <CopyButton text={text}>Copy</CopyButton>
    </div>
    <pre class="data" tabIndex={0}>
      {text}
    </pre>
  </li>
);

/** Tabs with the variables and the program that send a trace to a destination. */
export const SnippetView = ({ destination }: { readonly destination: Destination }) => {
  const tab = tabOf(route.value.query);
  const snippet = snippets[tab];
  const { install, file, code, topic, title } = snippet;
  return (
    <section aria-label={title}>
      <Switch
        label="Ways to send traces"
        value={tab}
        options={titlesByName(snippets)}
        onSelect={(name) => updateQuery({ tab: name })}
      />
      <ol class="steps" key={tab}>
        <Block text={exportLines(snippet, destination)}>Set the variables</Block>
        {install !== null && <Block text={install}>Install the packages</Block>}
        {file !== null && (
          <Block text={code}>
            Save as <code>{file}</code>
          </Block>
        )}
        <Block text={file === null ? code : runCommand(file)}>Run</Block>
      </ol>
      <p>
        <a href={`${serviceUrl}/docs/${topic}`}>Documentation of {title}</a> ·{" "}
        <a href={`${serviceUrl}/docs/send-traces`}>All frameworks and SDKs</a>
      </p>
    </section>
  );
};
