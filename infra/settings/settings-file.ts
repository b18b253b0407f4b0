import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Path of a stage's settings file, relative to the repository. */
export const settingsFile = (stage: string): string => `settings/${stage}.json`;

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses the text of a settings file. @param file name in error messages. @throws Error if it is not a JSON object. */
export const parseSettingsFile = (file: string, text: string): Readonly<Record<string, unknown>> => {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : ""}.`, { cause: error });
  }
  if (!isObject(settings)) throw new Error(`${file} must be a JSON object with settings by name.`);
  return settings;
};

/**
 * Reads the settings file of a stage; no settings if the file does not exist.
 *
 * @param stage unvalidated stage; a value that is no stage name has no file.
 * @throws Error with one sentence if the file is not a JSON object or names another stage.
 */
export const readSettingsFile = (repository: string, stage: unknown): Readonly<Record<string, unknown>> => {
  if (typeof stage !== "string" || !/^[a-z][a-z0-9-]*$/u.test(stage)) return {};
  const file = settingsFile(stage);
  const text = textOf(join(repository, file));
  if (text === undefined) return {};
  const { stage: fileStage = stage, ...settingsByName } = parseSettingsFile(file, text);
  if (fileStage !== stage) throw new Error(`${file} names another stage, ${JSON.stringify(fileStage)}.`);
  return settingsByName;
};
