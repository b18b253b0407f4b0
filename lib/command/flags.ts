import { parseArgs } from "node:util";
import { nameAdvice } from "../domain/nearest-name.ts";
import { CommandError } from "./failure.ts";
import { definitionList, wrap } from "./text.ts";

/** A flag of a command. */
interface Flag {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** Name of the value in the help. */
  readonly value?: string;
  readonly description: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** Values of flags by name, and the other arguments. */
export interface ParsedFlags {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

/** Returns a flag with a value. */
export const textFlag = (value: string, description: string): Flag => ({ type: "string", value, description });

/** Returns a flag with a value that may be repeated. */
export const listFlag = (value: string, description: string): Flag => ({
  ...textFlag(value, `${description} May be repeated.`),
  multiple: true,
});

/** Returns a flag without a value. */
export const switchFlag = (description: string): Flag => ({ type: "boolean", description });

/** Flag of commands without a body. */
export const jsonSwitch = switchFlag("Prints JSON also on a terminal.");

/** Flags of all commands. */
export const commonFlags: Flags = {
  url: textFlag("URL", "Address of the service; else ASSAY_URL, else that of `assay login`."),
  project: textFlag("NAME", "Project; else ASSAY_PROJECT, else that of `assay login`."),
  help: switchFlag("Shows this help."),
};

/** Parses arguments. @throws CommandError that names the nearest flag in place of an unknown one. */
export const parseFlags = (args: readonly string[], flags: Flags): ParsedFlags => {
  try {
    return parseArgs({ args, options: flags, allowPositionals: true, allowNegative: true });
  } catch (error) {
    const [, flag] = /Unknown option '(--?[^']+)'/u.exec(String(error)) ?? [];
    if (flag === undefined) throw new CommandError(error instanceof Error ? error.message : String(error));
    throw new CommandError(
      `There is no flag ${flag}${nameAdvice(
        flag,
        Object.keys(flags).map((name) => `--${name}`),
      )}`,
    );
  }
};

/** Returns the value of a flag with a text; undefined if it is absent or empty. */
export const flagText = ({ values }: ParsedFlags, name: string): string | undefined => {
  const value = values[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Returns the values of a repeated flag. */
export const flagTexts = ({ values }: ParsedFlags, name: string): readonly string[] =>
  [values[name] ?? []].flat().map(String);

/** Returns the value of a flag with a positive number. @throws CommandError if it is none. */
export const positiveNumber = (flags: ParsedFlags, name: string): number | undefined => {
  const text = flagText(flags, name);
  if (text === undefined) return undefined;
  if (!(Number(text) > 0)) throw new CommandError(`--${name} must be a positive number, not ${text}.`);
  return Number(text);
};

/** Returns the help of a command: how to call it, what it does, its flags. */
export const helpText = (usage: string, description: string, flags: Flags, width: number): string =>
  [
    wrap(`Usage: assay ${usage}`, width, 2),
    wrap(description, width),
    definitionList(
      Object.entries(flags).map(([name, { type, value, description: text }]) => [
        `--${name}${type === "string" ? ` ${value ?? "VALUE"}` : ""}`,
        text,
      ]),
      width,
    ),
  ].join("\n\n");
