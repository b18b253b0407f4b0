import { join } from "node:path";
import { readJson, writeJson } from "./host/json-file.ts";

/** What a developer needs to call the local service. */
export interface Credentials {
  readonly organizationId: string;
  readonly projectId: string;
  readonly projectName: string;
  readonly apiKey: string;
  readonly userId: string;
}

const pathIn = (directory: string): string => join(directory, "credentials.json");

/** The credentials kept in a directory; undefined before the first start there. */
export const keptCredentials = (directory: string): Credentials | undefined => readJson(pathIn(directory));

/** Keeps credentials in a directory. */
export const keepCredentials = (directory: string, credentials: Credentials): void =>
  writeJson(pathIn(directory), credentials);
