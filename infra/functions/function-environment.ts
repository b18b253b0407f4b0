import { besideTheBundle } from "../../lib/wiring/json-setting.ts";

/** A variable's value: text, or a setting that is written as JSON. */
export type Value = string | Readonly<Record<string, unknown>> | readonly unknown[];

/** Bytes of JSON that a variable may hold: a quarter of what Lambda gives to all of them. */
const longest = 1_000;

const fileOf = (variable: string): string => `${variable.toLowerCase().replaceAll("_", "-")}.json`;

/** A function's variables; and by name the files beside its bundle, with the JSON that is too long for a variable. */
export const laidOut = (values: Readonly<Record<string, Value>>) => {
  const written = Object.entries(values).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return { name, text, file: typeof value !== "string" && Buffer.byteLength(text) > longest ? fileOf(name) : null };
  });
  return {
    variables: Object.fromEntries(
      written.map(({ name, text, file }) => [name, file === null ? text : besideTheBundle + file]),
    ),
    files: Object.fromEntries(written.flatMap(({ text, file }) => (file === null ? [] : [[file, text]]))),
  };
};
