import { chooseEngine } from "../../../infra/local/dynamodb/choose-engine.ts";

/** Database engine of the tests: the default of `npm start`, or the one named by `DYNAMODB`. */
export const engine = chooseEngine(process.env["DYNAMODB"]);
