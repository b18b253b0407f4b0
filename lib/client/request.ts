import type { RequiredCredentials } from "./credentials.ts";

/** Query parameter: an array is repeated, an object becomes `name.key` per member, null and undefined are left out. */
type QueryValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly (string | number | boolean)[]
  | Readonly<Record<string, string>>;

/** Input of a call: path parameters, query parameters and body. */
export interface CallInput {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, QueryValue>> | undefined;
  readonly body?: unknown;
}

/** HTTP method, path template and required credentials of an operation. */
export type CallTarget = readonly [method: string, path: string, access: RequiredCredentials];

const membersOf = ([name, value]: [string, QueryValue]): readonly [string, unknown][] =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).map(([key, each]) => [`${name}.${key}`, each])
    : [[name, value]];

/** Returns the URL of a call. @throws TypeError when a path parameter is missing or empty, since the URL would mean another resource. */
export const addressOf = (baseUrl: string, template: string, { path = {}, query = {} }: CallInput): string => {
  const filled = template.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
    const value = path[name];
    if (value === undefined || value === "")
      throw new TypeError(`The path ${template} requires the parameter ${name}.`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query).flatMap(membersOf)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) search.append(name, String(each));
    }
  }
  const queryText = search.toString();
  return `${baseUrl.replace(/(?<!\/)\/+$/u, "")}${filled}${queryText === "" ? "" : `?${queryText}`}`;
};
