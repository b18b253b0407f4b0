/**
 * `npm run -s token`: prints a bearer token for the local service, alone on its line.
 *
 * Flag: `--email` says whose; the developer's when absent. Environment: `ASSAY_LOCAL_DIR`, `DYNAMODB` as the service has it.
 */
import { parseArgs } from "node:util";
import * as v from "valibot";
import { invitedEmail } from "../../lib/contract/access/fields.ts";
import { bearerToken, developerEmail } from "./bearer-token.ts";
import { keptCredentials } from "./credentials.ts";
import { chooseEngine } from "./dynamodb/choose-engine.ts";
import { openSigner } from "./issuer.ts";
import { localDirectory } from "./local-directory.ts";

const token = async (): Promise<string> => {
  const { values } = parseArgs({ options: { email: { type: "string", default: developerEmail } } });
  const email = v.safeParse(invitedEmail, values.email);
  if (!email.success)
    throw new Error(`"${values.email}" is no e-mail address: npm run -s token -- --email mia@example.com`);
  const directory = localDirectory();
  const credentials = keptCredentials(chooseEngine(process.env["DYNAMODB"]).dataDirectory(directory));
  if (credentials === undefined) throw new Error(`The service never ran on ${directory}. Start it with npm start.`);
  return bearerToken(await openSigner(directory), credentials, email.output);
};

try {
  console.log(await token());
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
