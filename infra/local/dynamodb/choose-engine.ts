import { dynamoDbLocal } from "./dynamodb-local.ts";
import { dynoxide } from "./dynoxide.ts";
import { dynoxidePlatform } from "./dynoxide-program.ts";
import type { Engine } from "./engine.ts";

/**
 * Chooses the database engine: by default dynoxide on the platform of its program, else AWS's DynamoDB Local.
 *
 * @param engineName value of the environment variable `DYNAMODB`: `dynoxide`, `local`, or empty for the default
 * @throws Error for any other name.
 */
export const chooseEngine = (
  engineName: string | undefined,
  platform = `${process.platform}-${process.arch}`,
): Engine => {
  switch (engineName ?? "") {
    case "":
      return platform === dynoxidePlatform ? dynoxide : dynamoDbLocal;
    case "dynoxide":
      return dynoxide;
    case "local":
      return dynamoDbLocal;
    default:
      throw new Error(`DYNAMODB must be dynoxide or local, not ${engineName}.`);
  }
};
