import { Token } from "aws-cdk-lib";
import type * as v from "valibot";
import type { TableName } from "../../lib/dynamo/table.ts";
import type { providersSetting } from "../settings/judge-settings.ts";
import { parseSettings, type Settings } from "../settings/settings.ts";

type ByTable<Value> = Readonly<Partial<Record<TableName, Value>>>;

/** Settings whose input differs from the parsed value, or whose schema does not name the tables. */
interface InputSettings {
  readonly retentionDays: number;
  readonly providers?: v.InferOutput<typeof providersSetting>;
  readonly pointInTimeRecovery?: ByTable<boolean>;
  readonly tableClass?: ByTable<"STANDARD" | "STANDARD_INFREQUENT_ACCESS">;
  readonly warmThroughput?: ByTable<{ readonly readUnitsPerSecond: number; readonly writeUnitsPerSecond: number }>;
  readonly restoredTables?: Readonly<Record<string, ByTable<string>>>;
}

type ReadonlyValue<Value> = Value extends readonly (infer Item)[]
  ? readonly ReadonlyValue<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: ReadonlyValue<Value[Key]> }
    : Value;

type PlainSettings = Partial<Omit<Settings, keyof InputSettings | "stage" | "explicitSettings">>;

/** The settings of a stage by name, as in a settings file: `infra/README.md` describes them. */
export type AssaySettings = ReadonlyValue<InputSettings & PlainSettings>;

const isDefined = ([, value]: readonly [string, unknown]): boolean => value !== undefined;

/** True if a value contains a token, for example an attribute of another resource. Settings become files and names at synthesis, which cannot contain one. */
const hasToken = (value: unknown): boolean =>
  Token.isUnresolved(value) || (typeof value === "object" && value !== null && Object.values(value).some(hasToken));

/**
 * Parses the settings of a stage. Undefined values count as absent.
 *
 * @param region the stack's, if it is known.
 * @throws Error with one sentence for each setting that is unknown, invalid, in conflict with another, or known at deployment only, or if `retentionDays` is absent.
 */
export const stageSettings = (stage: string, settings: AssaySettings, region?: string): Settings => {
  const input: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(settings).filter(isDefined));
  const { stage: settingsStage = stage } = input;
  if (settingsStage !== stage)
    throw new Error(`The settings name another stage than ${stage}, ${JSON.stringify(settingsStage)}.`);
  const tokens = Object.keys(input).filter((name) => hasToken(input[name]));
  if (tokens.length > 0)
    throw new Error(
      tokens
        .map((name) => `The setting ${name} is known at deployment only (a token): write the value itself.`)
        .join("\n"),
    );
  const parsed = parseSettings({ ...input, stage }, { region });
  if (input["retentionDays"] === undefined)
    throw new Error(
      "Set retentionDays, the number of days that traces are kept; 0 keeps them forever, and stored traces cost money.",
    );
  return parsed;
};
