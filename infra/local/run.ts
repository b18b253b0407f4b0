import { parseCommandLine } from "../command-line.ts";
import { eventLine } from "./events/event-line.ts";
import { eventReceiverOf } from "./events/event-sender.ts";
import { buildName, readBuild } from "../supply/build.ts";
import { whenOrphaned } from "./host/when-orphaned.ts";
import { deleteLocalData } from "./local-data.ts";
import { checkShellSettings, readLocalSettings, type ShellSettings } from "./local-settings.ts";
import { startLocal } from "./local-stack.ts";
import { repository } from "./repository.ts";
import { portOf } from "./port.ts";
import { readyMessage } from "./ready-message.ts";
import { shellIssuers } from "./shell-issuers.ts";
import { shellProviders } from "./ssm/shell-providers.ts";

const usage = `npm start -- [--fresh] [--limit-factor N] [--no-sign-in] [--settings FILE]

Runs the whole service on this machine.

  --fresh           deletes the local data first
  --limit-factor N  multiplies every rate limit
  --no-sign-in      treats requests from this machine without a credential as the developer's
  --settings FILE   reads settings of a deployment, JSON

Variables: PORT (default 4000; 0 for any free port), ASSAY_LOCAL_DIR, JUDGE_MODEL, EMBEDDING_MODEL, JWT, EVENT_RECEIVER, DYNAMODB,
and those of the model providers, such as OPENAI_API_KEY (infra/reference.md).`;

const parsePositive = (text: string, name: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name} must be greater than 0, not ${text}.`);
  return value;
};

const start = async (directory: string): Promise<void> => {
  const options = {
    fresh: { type: "boolean" },
    "limit-factor": { type: "string" },
    "no-sign-in": { type: "boolean" },
    settings: { type: "string" },
    help: { type: "boolean" },
  } as const;
  const { values } = parseCommandLine(options);
  if (values.help === true) return console.log(usage);
  const { JUDGE_MODEL, EMBEDDING_MODEL } = process.env;
  const limitFactor = parsePositive(values["limit-factor"] ?? "1", "--limit-factor");
  const providers = shellProviders(process.env);
  const shell: ShellSettings = {
    limitFactor,
    ...(JUDGE_MODEL !== undefined && { judgeModel: JUDGE_MODEL }),
    ...(EMBEDDING_MODEL !== undefined && { embeddingModel: EMBEDDING_MODEL }),
  };
  const settings = values.settings === undefined ? {} : await readLocalSettings(values.settings, shell, providers);
  const settingOf = (name: string): string | undefined => {
    const value = settings[name];
    return typeof value === "string" ? value : undefined;
  };
  const judgeModel = JUDGE_MODEL ?? settingOf("judgeModel") ?? "offline/rules";
  const embeddingModel = EMBEDDING_MODEL ?? settingOf("embeddingModel");
  const port = portOf(process.env);
  const isDefault = limitFactor === 1 && JUDGE_MODEL === undefined && EMBEDDING_MODEL === undefined;
  if (values.settings === undefined && !isDefault) await checkShellSettings(shell, providers);
  const noSignIn = values["no-sign-in"] ?? false;
  if (values.fresh === true) deleteLocalData(directory);
  console.log(buildName(readBuild(repository)));
  let hasBuilt = false;
  const startup = startLocal({
    directory,
    judgeModel,
    port,
    limitFactor,
    noSignIn,
    embeddingModel,
    settings,
    providers,
    issuers: shellIssuers(process.env),
    eventReceiver: eventReceiverOf(process.env),
    onSignIn: () => void startup.then(({ signInAddress }) => console.log(`Next console address: ${signInAddress()}`)),
    onBuild: () => {
      if (!hasBuilt) console.log("Building the service. The result is cached until the sources or settings change.");
      hasBuilt = true;
    },
    onEvent: (event) => {
      const line = eventLine(event);
      if (line !== null) console.log(line);
    },
  });

  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    void startup
      .then((stack) => stack.close())
      .catch(() => undefined)
      .then(() => process.exit(0));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  process.on("SIGHUP", stop);
  // A service started by npm stops together with npm; a service started directly may outlive its shell.
  if (process.env["npm_lifecycle_event"] === "start") whenOrphaned(stop);
  try {
    const { baseUrl, credentials, bearerToken, signInAddress } = await startup;
    const access = { credentials, bearerToken, consoleAddress: signInAddress() };
    console.log(readyMessage({ baseUrl, ...access, directory, judgeModel, noSignIn, now: new Date() }));
  } catch (error) {
    // Errors of a start that was interrupted by a signal are expected.
    if (!isStopping) throw error;
  }
};

/** Runs the service until a signal stops it. A failed start prints one sentence and exits with status 1. */
export const run = (directory: string): Promise<void> =>
  start(directory).catch((error: unknown) => {
    console.error((error as Error).message);
    process.exit(1);
  });
