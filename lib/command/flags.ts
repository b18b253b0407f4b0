import { parseArgs } from "node:util";
import { nameAdvice } from "../domain/nearest-name.ts";
import { CommandError } from "./failure.ts";
import { definitionList, wrap } from "./text.ts";

/** A flag of a command. */
export interface Flag {
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

/** Flags of all commands. */
export const commonFlags = {
  url: {
    type: "string",
    value: "URL",
    description: "Address of the service; else ASSAY_URL, else that of `assay login`.",
  },
  project: { type: "string", value: "NAME", description: "Project; else ASSAY_PROJECT, else that of `assay login`." },
  help: { type: "boolean", description: "Shows this help." },
} as const satisfies Flags;

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
