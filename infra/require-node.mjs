// Plain JavaScript, because an old Node.js version cannot load TypeScript.

/** First version that runs TypeScript without a flag. */
const [minimumMajor, minimumMinor] = [22, 18];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < minimumMajor || (major === minimumMajor && minor < minimumMinor)) {
  console.error(
    `Assay needs Node ${minimumMajor}.${minimumMinor} or newer, not ${process.version}. ` +
      "Start the command with npx, which takes the Node 24 that npm ci installed: npx vitest run, npx cdk synth.",
  );
  process.exit(1);
}
