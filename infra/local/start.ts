/**
 * `npm start`: the whole service on this machine.
 *
 * Flags: `--fresh` deletes the local data first; `--limit-factor N` multiplies every rate limit. Environment: `PORT`
 * (default 4000; 0 is any free port), `JUDGE_MODEL`, `EMBEDDING_MODEL`, the providers' own (`ssm/shell-providers.ts`),
 * `ASSAY_LOCAL_DIR`, `DYNAMODB` (`dynamodb/choose-engine.ts`).
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { invitationLine } from "./events/invitation-line.ts";
import { whenOrphaned } from "./host/when-orphaned.ts";
import { deleteLocalData } from "./local-data.ts";
import { type LocalStack, startLocal } from "./local-stack.ts";
import { shellProviders } from "./ssm/shell-providers.ts";

const root = resolve(import.meta.dirname, "../..");

const instructions = (
  { baseUrl, credentials, bearerToken }: LocalStack,
  directory: string,
  judgeModel: string,
): string =>
  `
Assay is ready at ${baseUrl}   (data and logs in ${directory}, judge ${judgeModel})

  API key       ${credentials.apiKey}
  Project       ${credentials.projectName} (${credentials.projectId})
  Organization  ${credentials.organizationId}
  Bearer token  ${bearerToken}

Store a trace:

  curl -s ${baseUrl}/traces \\
    -H 'X-API-Key: ${credentials.apiKey}' -H 'X-Project-Name: ${credentials.projectName}' \\
    -H 'Content-Type: application/json' \\
    -d '{"trace_id":"00000000-0000-4000-8000-000000000001","name":"greeting","started_at":"${new Date().toISOString()}","input":"Hello?","output":"Hello!"}'

Evaluate it (the reply's id leads to its scores: /evaluations/trace-runs/<id>/scores):

  curl -s ${baseUrl}/evaluations/trace-runs \\
    -H 'X-API-Key: ${credentials.apiKey}' -H 'X-Project-Name: ${credentials.projectName}' \\
    -H 'Content-Type: application/json' -d '{"metrics":["task_completion","tool_correctness"]}'

Ctrl-C stops it; npm start -- --fresh begins again with no data.
`;

const positive = (text: string, name: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name} must be a number above 0, not ${text}.`);
  return value;
};

const portOf = (text: string): number => {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`PORT must be 0 to 65535, not ${text}.`);
  return port;
};

const main = async (): Promise<void> => {
  const options = { fresh: { type: "boolean" }, "limit-factor": { type: "string" } } as const;
  const { values } = parseArgs({ options });
  const { PORT, JUDGE_MODEL, EMBEDDING_MODEL, ASSAY_LOCAL_DIR } = process.env;
  const directory = resolve(root, ASSAY_LOCAL_DIR ?? ".local");
  const judgeModel = JUDGE_MODEL ?? "offline/rules";
  const port = portOf(PORT ?? "4000");
  const limitFactor = positive(values["limit-factor"] ?? "1", "--limit-factor");
  if (values.fresh === true) deleteLocalData(directory);
  const starting = startLocal({
    directory,
    judgeModel,
    port,
    limitFactor,
    embeddingModel: EMBEDDING_MODEL,
    providers: shellProviders(process.env),
    onEvent: (event) => {
      const line = invitationLine(event);
      if (line !== null) console.log(line);
    },
  });

  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void starting
      .then((stack) => stack.close())
      .catch(() => undefined)
      .then(() => process.exit(0));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  process.on("SIGHUP", stop);
  // Begun by hand, a service may outlive its shell; begun by npm, it ends with it.
  if (process.env["npm_lifecycle_event"] === "start") whenOrphaned(stop);
  try {
    console.log(instructions(await starting, directory, judgeModel));
  } catch (error) {
    // A start that was broken off has nothing to report.
    if (!stopping) throw error;
  }
};

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exit(1);
});
