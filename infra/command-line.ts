import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { nameAdvice } from "../lib/domain/nearest-name.ts";
import { Refusal } from "../lib/domain/refusal.ts";

/** Joins a negative number to its flag: `parseArgs` takes a value that begins with a dash for a flag. */
const withNegativeValues = (args: readonly string[]): readonly string[] =>
  args.flatMap((arg, at) => {
    if (/^-\d/u.test(arg) && args[at - 1]?.startsWith("--") === true) return [];
    const next = args[at + 1] ?? "";
    return arg.startsWith("--") && /^-\d/u.test(next) ? [`${arg}=${next}`] : [arg];
  });

/** Parses the command line. @throws Error of one sentence: an unknown flag, with the nearest one, or one without its value. */
export const parseCommandLine = <const Options extends ParseArgsOptionsConfig>(
  options: Options,
  args: readonly string[] = process.argv.slice(2),
) => {
  try {
    return parseArgs({ args: withNegativeValues(args), options, allowPositionals: true });
  } catch (error) {
    const [, valueless] = /Option '(--[\w-]+)[^']*' argument (?:is ambiguous|missing)/u.exec(String(error)) ?? [];
    if (valueless !== undefined) throw new Error(`The flag ${valueless} needs a value.`, { cause: error });
    const [, flag] = /Unknown option '(--[^']+)'/u.exec(String(error)) ?? [];
    if (flag === undefined) throw error;
    const flags = Object.keys(options).map((name) => `--${name}`);
    throw new Error(`There is no flag ${flag}${nameAdvice(flag, flags)}`, { cause: error });
  }
};

/** Reads the flag `--expires-days`. @throws Error unless it is a whole number of at least 1. */
export const expiryDays = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,4}$/u.test(text))
    throw new Error(`--expires-days must be a whole number from 1 to 99999, not ${text}.`);
  return Number(text);
};

/** Returns what went wrong as a sentence for the operator. */
export const failureSentence = (error: unknown): string => {
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : String(error);
  const { reason } = error;
  return reason.kind === "invalid" ? reason.violations.map(({ msg }) => msg).join(" ") : reason.detail;
};
