import { join } from "node:path";
import { readJson, writeJson } from "./host/json-file.ts";

/** The ids and the API key that a developer needs to call the local service. */
export interface Credentials {
  readonly organizationId: string;
  readonly projectId: string;
  readonly projectName: string;
  readonly apiKey: string;
  readonly userId: string;
}

const credentialsPath = (directory: string): string => join(directory, "credentials.json");

/** Reads the credentials of a data directory; undefined before the first start there. */
export const readCredentials = (directory: string): Credentials | undefined => readJson(credentialsPath(directory));

/** Writes credentials to `credentials.json` in a data directory. */
export const writeCredentials = (directory: string, credentials: Credentials): void =>
  writeJson(credentialsPath(directory), credentials);
