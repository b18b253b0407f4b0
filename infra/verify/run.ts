/**
 * `npm run -s verify -- --url ... --key ...`: asks a deployment what only a deployment can show, and prints what holds.
 *
 * Exit code: 0 when everything that was asked holds, 1 when something does not or time was up, 130 after Ctrl-C.
 */
import { parseArgs } from "node:util";
import { allQuestions, type Plan } from "./all-questions.ts";
import { messageOf } from "./message-of.ts";
import { operatorQuestions } from "./operator-questions.ts";
import { deployedPatience } from "./patience.ts";
import { findingsTable } from "./report/findings-table.ts";
import { neverAsked } from "./report/never-asked.ts";
import { redacting } from "./report/redacted.ts";
import { exitCodeOf, summary } from "./report/summary.ts";
import { baseUrlOf } from "./target.ts";
import { verify } from "./verify.ts";

const usage = `npm run -s verify -- --url https://... --key sk_as_... [--token BEARER_TOKEN] [--stage STAGE]

Asks a deployment, or the service of npm start, what only it can show, and prints what holds. --url is the stack's output
ApiUrl. With the bearer token of an owner of the key's organization it also asks how fast keys come and go, and removes
its project at the end; without one it empties the project and names it. With the name of its stage it also asks the issuers of
settings/STAGE.json whether they call themselves as the settings do, and raises an alarm by the AWS CLI, to see whether it is told.
Takes about three minutes and never more than thirteen. It judges 103 small traces with the deployment's default judge, which
costs cents, uses up the key's rate limit of triggered monitors for a minute, and stores 7 MB that it deletes.
-s keeps npm from printing the key. Ctrl-C ends the questions and deletes what was stored; a second one ends at once.`;

/** @throws Error for flags that it does not know. */
const flags = () =>
  parseArgs({
    options: {
      url: { type: "string" },
      key: { type: "string" },
      token: { type: "string" },
      stage: { type: "string" },
      help: { type: "boolean", default: false },
    },
  }).values;

const withOperator = (stage: string): Plan => ({
  ...allQuestions,
  lanes: [...allQuestions.lanes, operatorQuestions(stage)],
});

const main = async (): Promise<number> => {
  const { url, key, token, stage, help } = flags();
  if (help || url === undefined || key === undefined) {
    console.log(usage);
    return help ? 0 : 1;
  }
  const redacted = redacting([key, token]);
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      console.error("Deleting what was stored. Once more ends at once.");
      interrupt.abort();
    });
  const begun = performance.now();
  const { findings, ended } = await verify({
    target: { baseUrl: baseUrlOf(url), apiKey: key, bearerToken: token ?? null },
    plan: stage === undefined ? allQuestions : withOperator(stage),
    patience: deployedPatience,
    signal: interrupt.signal,
    tell: (line) => console.error(redacted(line)),
  });
  const seconds = (performance.now() - begun) / 1000;
  console.log(redacted(`${findingsTable(findings)}\n\n${neverAsked}\n\n${summary(findings, ended, seconds)}`));
  return exitCodeOf(findings, ended);
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
