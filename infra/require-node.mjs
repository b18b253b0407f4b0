// Plain JavaScript, because an old Node.js version cannot load TypeScript.
import { existsSync } from "node:fs";

/** First version that runs TypeScript without a flag. */
const [minimumMajor, minimumMinor] = [22, 18];

/** Node 24, which `npm ci` installs where the own version is older and a build exists for the platform. */
const packagedNode = new URL("../node_modules/.bin/node", import.meta.url);

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < minimumMajor || (major === minimumMajor && minor < minimumMinor)) {
  console.error(
    `Assay needs Node ${minimumMajor}.${minimumMinor} or newer, not ${process.version}. ` +
      (existsSync(packagedNode)
        ? "Start the command with npx, which takes the Node 24 that npm ci installed: npx vitest run, npx cdk synth."
        : "Install one, for example from https://nodejs.org: npm ci brought none, as it has none for this platform."),
  );
  process.exit(1);
}
