import type { Access } from "./credentials.ts";

/** A value of a query: repeated for a list, one by one for what has members, left out when undefined or null. */
type QueryValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly (string | number | boolean)[]
  | Readonly<Record<string, string>>;

/** What a call is made of. */
export interface CallInput {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, QueryValue>> | undefined;
  readonly body?: unknown;
}

/** How an operation is called. */
export type Operation = readonly [method: string, path: string, access: Access];

const membersOf = ([name, value]: [string, QueryValue]): readonly [string, unknown][] =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).map(([key, each]) => [`${name}.${key}`, each])
    : [[name, value]];

/** The address of a call. @throws TypeError when a parameter of the path is missing or empty: it would be another address. */
export const addressOf = (baseUrl: string, template: string, { path = {}, query = {} }: CallInput): string => {
  const filled = template.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
    const value = path[name];
    if (value === undefined || value === "") throw new TypeError(`${template} needs ${name}.`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query).flatMap(membersOf)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) search.append(name, String(each));
    }
  }
  const asked = search.toString();
  return `${baseUrl.replace(/\/+$/u, "")}${filled}${asked === "" ? "" : `?${asked}`}`;
};
