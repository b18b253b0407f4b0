/**
 * `npm run -s verify -- --url ... --key ...`: runs end-to-end checks against a deployment and prints the results.
 *
 * Exit code: 0 if no check failed, 1 if a check failed or the time was up, 130 after Ctrl-C.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readBuild } from "../supply/build.ts";
import { allChecks, type CheckPlan } from "./all-checks.ts";
import { buildLine } from "./deployed-build.ts";
import { messageOf } from "./message-of.ts";
import { operatorChecks } from "./operator-checks.ts";
import { deployedTimeouts } from "./timeouts.ts";
import { findingsTable } from "./report/findings-table.ts";
import { notCovered } from "./report/not-covered.ts";
import { redactor } from "./report/redactor.ts";
import { exitCodeOf, summary } from "./report/summary.ts";
import { baseUrlOf } from "./target.ts";
import { verify } from "./verify.ts";

const usage = `npm run -s verify -- --url https://... --key sk_as_... [--token BEARER_TOKEN] [--stage STAGE]

Runs end-to-end checks against a deployment, or against the service of npm start, and prints the results.

  --url    base URL of the API: the stack's output ApiUrl
  --key    API key
  --token  bearer token of an owner of the key's organization: also checks how fast API keys are accepted and revoked, and deletes
           the temporary project at the end. Without a token the project remains, empty; its name is printed.
  --stage  name of the stage: also compares the token issuers with settings/STAGE.json, and raises an alarm with the AWS CLI to
           check that it is sent

Takes about three minutes, at most half an hour where limits are low (limitFactor). Costs a few cents: the deployment's default judge evaluates 103 small traces. Uses up
the key's rate limit of triggered monitors for a minute. Stores 7 MB and deletes it again. npm's -s keeps the key out of the output.
Ctrl-C stops the checks and deletes the stored data; a second Ctrl-C exits at once.`;

/** Parses the command line. @throws Error for unknown flags. */
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

const planWithOperatorChecks = (stage: string): CheckPlan => ({
  ...allChecks,
  lanes: [...allChecks.lanes, operatorChecks(stage)],
});

const main = async (): Promise<number> => {
  const { url, key, token, stage, help } = flags();
  if (help || url === undefined || key === undefined) {
    console.log(usage);
    return help ? 0 : 1;
  }
  const redact = redactor([key, token]);
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      console.error("Deleting the stored data. Press Ctrl-C again to exit at once.");
      interrupt.abort();
    });
  const baseUrl = baseUrlOf(url);
  const options = { baseUrl, timeout: deployedTimeouts.request, signal: interrupt.signal };
  console.log(redact(await buildLine(options, readBuild(join(import.meta.dirname, "../..")))));
  const startedAt = performance.now();
  const { findings, endReason } = await verify({
    target: { baseUrl, apiKey: key, bearerToken: token ?? null },
    plan: stage === undefined ? allChecks : planWithOperatorChecks(stage),
    timeouts: deployedTimeouts,
    signal: interrupt.signal,
    log: (line) => console.error(redact(line)),
  });
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(redact(`${findingsTable(findings)}\n\n${notCovered}\n\n${summary(findings, endReason, seconds)}`));
  return exitCodeOf(findings, endReason);
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
