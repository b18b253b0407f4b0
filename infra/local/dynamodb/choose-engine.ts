import { dynamoDbLocal } from "./dynamodb-local.ts";
import { dynoxide } from "./dynoxide.ts";
import { dynoxideProgram } from "./dynoxide-program.ts";
import type { Engine } from "./engine.ts";

/**
 * Chooses the database engine: by default dynoxide if its program is installed, else AWS's DynamoDB Local.
 *
 * @param engineName value of the environment variable `DYNAMODB`: `dynoxide`, `local`, or empty for the default
 * @throws Error for any other name.
 */
export const chooseEngine = (engineName: string | undefined, hasDynoxide = dynoxideProgram() !== undefined): Engine => {
  switch (engineName ?? "") {
    case "":
      return hasDynoxide ? dynoxide : dynamoDbLocal;
    case "dynoxide":
      return dynoxide;
    case "local":
      return dynamoDbLocal;
    default:
      throw new Error(`DYNAMODB must be dynoxide or local, not ${engineName}.`);
  }
};
