import { dynamoDbLocal } from "./dynamodb-local.ts";
import { dynoxide, dynoxideProgram } from "./dynoxide.ts";
import type { Engine } from "./engine.ts";

/**
 * Chooses the database: dynoxide where its program is installed, else AWS's DynamoDB Local.
 *
 * @param wanted the shell's `DYNAMODB`: `dynoxide`, `local`, or nothing
 * @throws Error when something else is wanted.
 */
export const chooseEngine = (wanted: string | undefined, hasDynoxide = dynoxideProgram() !== undefined): Engine => {
  switch (wanted ?? "") {
    case "":
      return hasDynoxide ? dynoxide : dynamoDbLocal;
    case "dynoxide":
      return dynoxide;
    case "local":
      return dynamoDbLocal;
    default:
      throw new Error(`DYNAMODB must be dynoxide or local, not ${wanted}.`);
  }
};
