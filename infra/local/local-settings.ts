import { readFileSync } from "node:fs";
import { parseSettingsFile } from "../settings/settings-file.ts";

/** Settings that the local runtime sets itself, and what sets them instead. */
const ownSettings: Readonly<Record<string, string>> = {
  stage: "it is always local",
  jwt: "set the variable JWT",
  allowedOrigins: "pages of this machine are allowed",
  limitFactor: "use --limit-factor",
};

/**
 * Reads a settings file for `npm start`: the settings of a deployment, such as ceilings, prices and transcripts.
 *
 * @param limitFactor of `--limit-factor`, which the file's limits are tried with.
 * @throws Error with one sentence for each setting that is unknown, invalid, refused by the stack, or set by the local runtime itself.
 */
export const readLocalSettings = async (
  file: string,
  limitFactor: number,
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
  trialStack(parseSettings({ ...settings, limitFactor, stage: "local" }, { isLocal: true }));
  return settings;
};
