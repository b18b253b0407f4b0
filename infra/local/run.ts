import { parseArgs } from "node:util";
import { invitationLine } from "./events/invitation-line.ts";
import { whenOrphaned } from "./host/when-orphaned.ts";
import { deleteLocalData } from "./local-data.ts";
import { startLocal } from "./local-stack.ts";
import { portOf } from "./port.ts";
import { readyMessage } from "./ready-message.ts";
import { shellIssuers } from "./shell-issuers.ts";
import { shellProviders } from "./ssm/shell-providers.ts";

const positive = (text: string, name: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name} must be a number above 0, not ${text}.`);
  return value;
};

const start = async (directory: string): Promise<void> => {
  const options = {
    fresh: { type: "boolean" },
    "limit-factor": { type: "string" },
    "no-sign-in": { type: "boolean" },
  } as const;
  const { values } = parseArgs({ options });
  const { JUDGE_MODEL, EMBEDDING_MODEL } = process.env;
  const judgeModel = JUDGE_MODEL ?? "offline/rules";
  const port = portOf(process.env);
  const limitFactor = positive(values["limit-factor"] ?? "1", "--limit-factor");
  const noSignIn = values["no-sign-in"] ?? false;
  if (values.fresh === true) deleteLocalData(directory);
  const starting = startLocal({
    directory,
    judgeModel,
    port,
    limitFactor,
    noSignIn,
    embeddingModel: EMBEDDING_MODEL,
    providers: shellProviders(process.env),
    issuers: shellIssuers(process.env),
    onBuild: (name) => console.log(`Building ${name}, once for these sources and settings.`),
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
    const { baseUrl, credentials, bearerToken } = await starting;
    console.log(readyMessage({ baseUrl, credentials, bearerToken, directory, judgeModel, noSignIn, now: new Date() }));
  } catch (error) {
    // A start that was broken off has nothing to report.
    if (!stopping) throw error;
  }
};

/** Runs the service until a signal ends it; what cannot start is one sentence and exit status 1. */
export const run = (directory: string): Promise<void> =>
  start(directory).catch((error: unknown) => {
    console.error((error as Error).message);
    process.exit(1);
  });
