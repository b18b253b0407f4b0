import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the settings of a stage are kept, seen from the repository. */
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

/**
 * The settings that are kept for a stage; none when it has no file.
 *
 * @param stage as it was given, by whatever it was given; what is no name of a stage has no file.
 * @throws Error in one sentence when the file is not an object in JSON, or speaks of another stage.
 */
export const readSettingsFile = (repository: string, stage: unknown): Readonly<Record<string, unknown>> => {
  if (typeof stage !== "string" || !/^[a-z][a-z0-9-]*$/u.test(stage)) return {};
  const file = settingsFile(stage);
  const text = textOf(join(repository, file));
  if (text === undefined) return {};
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : ""}.`, { cause: error });
  }
  if (!isObject(settings)) throw new Error(`${file} must be an object, settings by name.`);
  const { stage: named = stage, ...others } = settings;
  if (named !== stage) throw new Error(`${file} says that it is of the stage ${JSON.stringify(named)}.`);
  return others;
};
