import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Client, type ClientOptions, createClient } from "../client/client.ts";
import type { Credentials } from "../client/credentials.ts";
import { CommandError } from "./failure.ts";
import { type ParsedFlags, flagText } from "./flags.ts";

/** A key of `assay login`. */
interface SavedKey {
  readonly api_key: string;
  readonly project_name: string;
  readonly expires_at: string;
}

/** Keys by the address of their service: a key is never sent to another one. */
interface SavedKeys {
  /** Address of the newest sign-in. */
  readonly current?: string;
  readonly keys: Readonly<Record<string, SavedKey>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Path of the file with the keys of `assay login`, which only its owner may read. */
export const keysFile = (environment: Environment = process.env): string =>
  join(environment["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "assay", "keys.json");

const isSavedKeys = (value: unknown): value is SavedKeys =>
  typeof value === "object" &&
  value !== null &&
  "keys" in value &&
  typeof value.keys === "object" &&
  value.keys !== null;

const readKeys = (): SavedKeys => {
  let text: string;
  try {
    text = readFileSync(keysFile(), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { keys: {} };
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isSavedKeys(value)) return value;
  } catch {
    // The same sentence as for JSON of another shape.
  }
  throw new CommandError(`${keysFile()} is not a file of \`assay login\`: delete it and sign in again.`);
};

/** Stores the key of a service in place of its earlier one, at once and with the mode 0600. */
export const saveKey = (url: string, { api_key, project_name, expires_at }: SavedKey): void => {
  const file = keysFile();
  const keys: SavedKeys = { current: url, keys: { ...readKeys().keys, [url]: { api_key, project_name, expires_at } } };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
};

/** A service with the caller's credentials. */
export interface Connection {
  readonly url: string;
  readonly credentials: Credentials | null;
  readonly client: Client;
  /** Returns a client with other options. */
  readonly clientWith: (options: Partial<ClientOptions>) => Client;
}

const normalized = (text: string): string => {
  const url = URL.parse(text);
  if (url?.username || url?.password) throw new CommandError("The address of the service must not have a password.");
  if (url === null || !/^https?:$/u.test(url.protocol))
    throw new CommandError(`${text} is not an address of a service.`);
  return url.href.replace(/(?<!\/)\/+$/u, "");
};

/** Returns a value that is sent as a header. @throws CommandError that does not show it, as it may be a key. */
const headerText = (name: string, kind: string, value: string | undefined): string | undefined => {
  if (/[^ -~]/u.test(value?.trim() ?? "")) throw new CommandError(`${name} has a character that no ${kind} has.`);
  return value?.trim();
};

/**
 * Reads address, key and project: from flags, else from the environment, else from `assay login`. Keys are no flags, which other users
 * of the machine could read.
 *
 * @throws CommandError if there is no address, or a value cannot be sent.
 */
export const openConnection = (flags: ParsedFlags, environment: Environment = process.env): Connection => {
  const saved = readKeys();
  const address = flagText(flags, "url") ?? (environment["ASSAY_URL"] || saved.current);
  if (address === undefined)
    throw new CommandError("There is no address of a service: set ASSAY_URL, or run `assay login --url https://...`.");
  const url = normalized(address);
  const savedKey = saved.keys[url];
  const projectText = flagText(flags, "project") ?? (environment["ASSAY_PROJECT"] || savedKey?.project_name);
  const project = headerText("ASSAY_PROJECT", "header", projectText);
  const apiKey = headerText("ASSAY_API_KEY", "key", environment["ASSAY_API_KEY"] || savedKey?.api_key);
  const token = headerText("ASSAY_TOKEN", "token", environment["ASSAY_TOKEN"]);
  const credentials: Credentials | null = token
    ? { token, projectId: project }
    : apiKey === undefined
      ? null
      : { apiKey, projectName: project };
  const clientWith = (options: Partial<ClientOptions>): Client =>
    createClient({ baseUrl: url, credentials: credentials ?? undefined, retries: 2, ...options });
  return { url, credentials, client: clientWith({}), clientWith };
};
