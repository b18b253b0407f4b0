import { shellWord } from "./curl.ts";
import { code, codeBlock, html, prose, type Html } from "./html.ts";
import { installLine, type Program, programs, variablesOf } from "./programs/programs.ts";
import type { Destination } from "../../../domain/destination.ts";
import { programSettings } from "./programs/settings.ts";
import { table } from "./text.ts";

/** Shell commands that set the environment of a program. */
const exportLines = (program: Program, destination: Destination): string =>
  Object.entries(variablesOf(program, destination))
    .map(([name, value]) => `export ${name}=${shellWord(value)}`)
    .join("\n");

const row = ({ topic, name, flush }: Program): Html =>
  html` <tr>
    <td><a href="#${topic}">Send traces from ${name}</a></td>
    <td>${code(flush)}</td>
  </tr>`;

const languageTable = (language: Program["language"]): Html =>
  html` <h3>${language}</h3>
    <table>
      <thead>
        <tr>
          <th scope="col">Page</th>
          <th scope="col">Before a function returns</th>
        </tr>
      </thead>
      <tbody>
        ${programs.filter((program) => program.language === language).map(row)}
      </tbody>
    </table>`;

const pythonFunction = `def handler(event, context):
    try:
        return agent(event["question"])
    finally:
        provider.force_flush()`;

/** Programs that send Langfuse's events, which they sent before OpenTelemetry: what to set, and with what that was tested. */
const langfuseEventPrograms: readonly (readonly [program: string, settings: string, tested: string])[] = [
  [
    "JavaScript: `langfuse` 3, `langfuse-langchain` 3",
    "`LANGFUSE_BASEURL`, `LANGFUSE_PUBLIC_KEY`, `LANGFUSE_SECRET_KEY`",
    "langfuse 3.39.2, langfuse-langchain 3.39.2",
  ],
  [
    "Python: `langfuse` 2, LiteLLM's callback `langfuse` (1.74 reports failed calls only of `acompletion`)",
    "`LANGFUSE_HOST`, `LANGFUSE_PUBLIC_KEY`, `LANGFUSE_SECRET_KEY`",
    "langfuse 2.60.10, litellm 1.74.0",
  ],
  [
    "PHP, and other programs that post events themselves",
    "the address before `/api/public/ingestion`; user name and password of Basic authentication",
    "documented, not run",
  ],
  ["Dify", "Monitoring, Tracing app performance, Langfuse: Host, Public Key, Secret Key", "documented, not run"],
  ["Flowise", "Configuration, Analyse Chatflow, Langfuse: Endpoint, Public Key, Secret Key", "documented, not run"],
  [
    "n8n, by a community node that sends events to Langfuse, such as `n8n-nodes-openai-langfuse`",
    "Credential of the node: base URL, public key, secret key; a version that sends by OpenTelemetry works as the SDKs do",
    "documented, not run",
  ],
];

/** Section on programs that send Langfuse's events. */
const langfuseEvents: Html = html` <h3 id="langfuse-events">Earlier SDKs of Langfuse, Dify, n8n, Flowise</h3>
  <p>
    ${prose(
      "Programs that send events to Langfuse's `/api/public/ingestion` keep working when three settings change: the host is the URL of this " +
        "service, the public key the name of a project, and the secret key an API key. Ids may be any text. Prompts and media are not stored; " +
        "a reference to media stays in its text.",
    )}
  </p>
  ${table(["Program", "What to set", "Tested with"], langfuseEventPrograms)}`;

/** Section on experiments with Langfuse's SDKs. */
const langfuseExperiments: Html = html` <h3 id="langfuse-experiments">Datasets and experiments with Langfuse's SDKs</h3>
  <p>
    ${prose(
      "Programs that create datasets and run experiments over them, in Python by `get_dataset(...).run_experiment(...)` and in JavaScript by " +
        "`dataset.get(...)` and `runExperiment(...)`, need the same three settings and no other change; so do those of earlier SDKs with " +
        "`item.run()`, `item.observe()` and `item.link()`. Each run is an experiment: `GET /experiments/{experiment_id}` takes the id that the " +
        "SDK returns, and has the scores of the run's own evaluators; its traces, with their items and scores, are at " +
        "`/experiments/{experiment_id}/items`. Experiments over local data are the same, without a dataset. The links to Langfuse's pages that " +
        "the SDK prints lead nowhere.",
    )}
  </p>
  <p>
    ${prose(
      "The datasets are those of `/datasets`. An item that is sent again with its `id` is a new revision, and `get_dataset(..., version=...)` " +
        "returns the items of an instant. An item with `status` ARCHIVED is deleted: to have it again, send it whole. An `id` that two datasets " +
        "have, as items of `/datasets` may, cannot be linked to a trace by the SDKs that send links apart from spans. Schemas of items are " +
        "refused, and metadata that are no object get the key `metadata`.",
    )}
  </p>`;

/** Section that lists the pages of all sample programs. */
export const sendTraces: Html = html` <section id="send-traces">
  <h2>Send traces from a framework</h2>
  <p>
    ${prose("Each page has the variables to set and a program that was tested with a simulated model. The project is created by the first request that names it.")}
  </p>
  ${(["JavaScript", "Python"] as const).map(languageTable)} ${langfuseEvents} ${langfuseExperiments}
  <h3 id="short-lived-functions">Lambda, Vercel and other short-lived functions</h3>
  <p>
    SDKs send in the background, and a function is frozen after its reply: what is queued then is lost, or sent with the
    next call. Flush before the reply, or at Vercel in <code>waitUntil</code>, also when the call fails:
    <a href="#aws-lambda">a Lambda function</a>, <a href="#vercel">a Vercel function</a>. In Python:
  </p>
  ${codeBlock(pythonFunction)}
</section>`;

/** Section of one sample program: its packages, its environment with the service's URL, its code, its flush and its limits. */
export const programSection = (program: Program, serviceUrl: string): Html => {
  const { topic, name, settings, code: source, flush, notes } = program;
  return html` <section id="${topic}">
    <h2>Send traces from ${name}</h2>
    <p>Tested with these versions. All programs: <a href="#send-traces">send traces from a framework</a>.</p>
    <h3>Packages</h3>
    ${codeBlock(installLine(program))}
    <h3>Variables</h3>
    ${codeBlock(exportLines(program, { serviceUrl, apiKey: "sk_as_...", projectName: "default" }))}
    <h3>Program</h3>
    ${codeBlock(source)}
    <h3>Flush and limits</h3>
    <p>Before a <a href="#short-lived-functions">short-lived function</a> returns: ${code(flush)}</p>
    <p>${prose([programSettings[settings].limits, ...(notes === undefined ? [] : [notes])].join(" "))}</p>
  </section>`;
};
