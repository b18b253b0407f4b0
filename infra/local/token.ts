/**
 * `npm run -s token`: prints a bearer token for the local service and nothing else.
 *
 * Flag: `--email` selects the user; default the developer. Environment variables: `ASSAY_LOCAL_DIR` and `DYNAMODB`, with the same
 * values as for `npm start`.
 */
import { parseArgs } from "node:util";
import { comparableEmail, isEmailAddress } from "../../lib/domain/access/email.ts";
import { bearerToken, developerEmail } from "./bearer-token.ts";
import { readCredentials } from "./credentials.ts";
import { chooseEngine } from "./dynamodb/choose-engine.ts";
import { openSigner } from "./issuer.ts";
import { localDirectory } from "./local-directory.ts";

const printedToken = async (): Promise<string> => {
  const { values } = parseArgs({ options: { email: { type: "string", default: developerEmail } } });
  const email = comparableEmail(values.email);
  if (!isEmailAddress(email))
    throw new Error(`"${values.email}" is not an e-mail address. Example: npm run -s token -- --email mia@example.com`);
  const directory = localDirectory();
  const credentials = readCredentials(chooseEngine(process.env["DYNAMODB"]).dataDirectory(directory));
  if (credentials === undefined)
    throw new Error(`The data directory ${directory} has no credentials yet. Run npm start first.`);
  return bearerToken(await openSigner(directory), credentials, email);
};

try {
  console.log(await printedToken());
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
