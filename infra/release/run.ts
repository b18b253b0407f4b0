/** Entry point of `npm run release -- [--dry-run] [--out DIRECTORY]`: commits and tags the version in `package.json`, and writes its artifacts. */
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { DISABLE_CREATION_STACK_TRACES, DISABLE_METADATA_STACK_TRACE } from "aws-cdk-lib/cx-api";
import { parseCommandLine } from "../command-line.ts";
import { installLakeLayer } from "../lake/layer.ts";
import { release } from "./release.ts";

const usage = `npm run release -- [--dry-run] [--out DIRECTORY]

Checks the tree, writes the artifacts of the version in package.json into release/ or DIRECTORY, and commits and tags it; never pushes.
--dry-run neither commits nor tags.`;

const repository = join(import.meta.dirname, "../..");

/** Runs a program of the repository. CDK's variables would change the assembly. */
const run = (program: string, variables: Readonly<Record<string, string>> = {}): string =>
  execFileSync(process.execPath, [join(repository, program)], {
    cwd: repository,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:CDK|ASSAY)_/u.test(name))),
      ...variables,
    },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024,
  });

/** CDK context without stack traces of constructs, which name the directory of the checkout. */
const context = JSON.stringify({
  [DISABLE_METADATA_STACK_TRACE]: true,
  [DISABLE_CREATION_STACK_TRACES]: true,
});

try {
  const { values, positionals } = parseCommandLine({
    "dry-run": { type: "boolean", default: false },
    out: { type: "string", default: join(repository, "release") },
    help: { type: "boolean" },
  });
  if (positionals.length > 0) throw new Error(`A release takes flags only, not ${positionals.join(" ")}.`);
  if (values.help === true) console.log(usage);
  else
    release({
      repository,
      out: resolve(values.out),
      isDryRun: values["dry-run"],
      day: new Date().toISOString().slice(0, 10),
      print: (line) => console.log(line),
      sbom: () => run("infra/supply/sbom.ts"),
      synthesize: (directory) => {
        installLakeLayer();
        run("infra/app.ts", { CDK_OUTDIR: directory, CDK_CONTEXT_JSON: context });
      },
    });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
