import { readFileSync } from "node:fs";
import { modelsOfServers } from "../../lib/judge/prices/model-rules.ts";
import { parseSettingsFile } from "../settings/settings-file.ts";
import type { ProviderValues } from "./ssm/judge-parameters.ts";

/** Settings that the local runtime sets itself, and what sets them instead. */
const ownSettings: Readonly<Record<string, string>> = {
  stage: "it is always local",
  jwt: "set the variable JWT",
  allowedOrigins: "pages of this machine are allowed",
  limitFactor: "use --limit-factor",
};

/**
 * Settings that the command line and the variables of the shell set: they are tried with those of the file, and win. A model that
 * neither names is absent.
 */
export interface ShellSettings {
  readonly limitFactor: number;
  readonly judgeModel?: string;
  readonly embeddingModel?: string;
}

/**
 * Returns the models that may be asked where that is not the default: models of a server behind a base URL of this machine may be,
 * as where a deployment names its parameter.
 */
export const modelsOfProviders = ({ openai }: ProviderValues): { readonly judgeModels?: readonly string[] } =>
  openai?.baseUrl === undefined ? {} : { judgeModels: modelsOfServers(true) };

/**
 * Refuses settings by the rules of a deployment that hold on this machine too, before anything is built: factors by which limits
 * cannot be counted, and misspelt models. @throws Error with one sentence for each.
 */
export const checkShellSettings = async (shell: ShellSettings, providers: ProviderValues): Promise<void> => {
  // Loaded here, because most starts set nothing.
  const [{ parseSettings }, { withLimits }, { routes }] = await Promise.all([
    import("../settings/settings.ts"),
    import("../api/route-limits.ts"),
    import("../../lib/contract/routes.ts"),
  ]);
  withLimits(routes, parseSettings({ ...modelsOfProviders(providers), ...shell, stage: "local" }, { isLocal: true }));
};

/**
 * Reads a settings file for `npm start`: the settings of a deployment, such as ceilings, prices and transcripts.
 *
 * @throws Error with one sentence for each setting that is unknown, invalid, refused by the stack, or set by the local runtime itself.
 */
export const readLocalSettings = async (
  file: string,
  shell: ShellSettings,
  providers: ProviderValues,
): Promise<Readonly<Record<string, unknown>>> => {
  const settings = parseSettingsFile(file, readFileSync(file, "utf8"));
  const refused = Object.keys(ownSettings).filter((name) => Object.hasOwn(settings, name));
  if (refused.length > 0)
    throw new Error(refused.map((name) => `${file} must not set ${name}: ${ownSettings[name]}.`).join("\n"));
  // Loaded here, because most starts have no settings file.
  const [{ parseSettings }, { trialStack }] = await Promise.all([
    import("../settings/settings.ts"),
    import("../trial-stack.ts"),
  ]);
  trialStack(
    parseSettings({ ...modelsOfProviders(providers), ...settings, ...shell, stage: "local" }, { isLocal: true }),
  );
  return settings;
};
