import { codeBlock, html, prose, type Html } from "./html.ts";
import { table } from "./text.ts";

/** Topic of the guide's page, and id of its section. */
export const clientGuideId = "client-and-command-line";

const install = `npm install assay @opentelemetry/api @opentelemetry/sdk-trace \\
  @opentelemetry/context-async-hooks @opentelemetry/exporter-trace-otlp-proto`;

const program = (serviceUrl: string): string => `import { createClient } from "assay";
import { register } from "assay/otel";

const apiKey = process.env.ASSAY_API_KEY;
const { flush } = register({ url: "${serviceUrl}", apiKey, project: "default" });
export const handler = (event) => answer(event).finally(flush);

const assay = createClient({ baseUrl: "${serviceUrl}", credentials: { apiKey, projectName: "default" } });
for await (const trace of assay.each.listTraces({ query: { status: "ERROR" } })) console.log(trace.name);`;

const commands: readonly (readonly [command: string, use: string])[] = [
  [
    "`assay login --url URL`",
    "signs in with the browser; the key is valid for 90 days, and only its owner can read its file",
  ],
  ["`assay doctor`", "checks address, clock, key and project, and that a span arrives"],
  ["`assay tail --name checkout`", "shows traces as they come, of each two seconds the failed ones first"],
  [
    "`assay api traces list --status ERROR --all`",
    "calls any operation; `assay api` lists them, `--help` describes one",
  ],
  ["`assay api traces create --json @trace.json`", "sends a body: a text, a file, or `-` for standard input"],
  [
    "`assay gate --experiment NAME --baseline approved --judge task_completion --rule task_completion:max_drop=0.05 --markdown gate.md`",
    "waits for traces and scores, writes the comment for a pull request, and exits as the gate says",
  ],
  ["`assay skill`", "writes the skill for coding agents into the repository"],
];

const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "done; a gate passed"],
  ["1", "a gate failed, or `doctor` found a fault"],
  ["2", "the command was not carried out: wrong arguments, no network, a refused request"],
  ["3", "the data do not decide a gate; `--on-cannot-tell` makes it a 0 or a 1"],
  ["130", "ended by Ctrl-C"],
];

const generate = (serviceUrl: string): string => `curl -s ${serviceUrl}/openapi.json > openapi.json
npx @openapitools/openapi-generator-cli generate -i openapi.json -g python -o assay-client \\
  --global-property apis,models,supportingFiles`;

/** Returns the section about the npm package, its command line, and clients of other languages. */
export const clientGuide = (serviceUrl: string): Html =>
  html` <section id="${clientGuideId}">
    <h2>Use the npm package and the command line</h2>
    <p>
      ${prose(
        "The package `assay` has the typed client, tracing and the command line, without dependencies. The packages of OpenTelemetry are for `assay/otel` " +
          "only. Until it is published, `npm run pack:client` in the repository writes it as `assay-<version>.tgz`: install that file in its place.",
      )}
    </p>
    ${codeBlock(install)} ${codeBlock(program(serviceUrl))}
    <p>
      ${prose(
        "`flush()` sends what is queued: awaited in Lambda, within `waitUntil` on Vercel; a program with a provider of its own adds `spanProcessor` to it. A method of " +
          "the client has the name of its operation, `each` reads all pages; calls are repeated as `Retry-After` says, and errors have `code` and `requestId`.",
      )}
    </p>
    <h3>Command line</h3>
    <p>
      ${prose(
        "`npx assay` reads `ASSAY_URL`, `ASSAY_API_KEY` and `ASSAY_PROJECT`, else what `assay login` has stored. Results are tables on a terminal, and JSON in " +
          "a pipe or with `--json`; what is wrong is one sentence on standard error.",
      )}
    </p>
    ${table(["Command", "Use"], commands)} ${table(["Exit code", "Meaning"], exitCodes)}
    <h3>Python and other languages</h3>
    <p>
      ${prose(
        "Clients are generated from the OpenAPI document. Those of openapi-generator in nine languages are compiled in the tests of this project, and run in six.",
      )}
    </p>
    ${codeBlock(generate(serviceUrl))}
  </section>`;
