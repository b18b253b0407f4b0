import { chooseEngine } from "../../../infra/local/dynamodb/choose-engine.ts";

/** The database that the tests run on: the one that `npm start` would take, or what `DYNAMODB` asks for. */
export const engine = chooseEngine(process.env["DYNAMODB"]);
