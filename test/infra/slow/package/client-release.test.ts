import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { repository } from "../../../../infra/local/repository.ts";
import packageFile from "../../../../package.json" with { type: "json" };

const tag = `refs/tags/v${packageFile.version}`;
const job = {
  GITHUB_ACTIONS: "true",
  ACTIONS_ID_TOKEN_REQUEST_URL: "http://127.0.0.1:9",
  GITHUB_REF: tag,
  NODE_AUTH_TOKEN: "t",
};

test.each([
  [{}, "Provenance needs a job of GitHub Actions with the permission `id-token: write`: push the tag instead.\n"],
  [
    { ...job, GITHUB_REF: "refs/heads/main" },
    `The job runs for refs/heads/main, not for the tag v${packageFile.version} of package.json.\n`,
  ],
  [{ ...job, NODE_AUTH_TOKEN: "" }, "There is no npm token: set the secret NPM_TOKEN of the repository.\n"],
])("nothing is packed or published by a job like %j", (variables, sentence) => {
  const env = { PATH: process.env["PATH"], ...variables };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["infra/package/client/release.ts"], {
    cwd: repository,
    env,
    encoding: "utf8",
  });

  expect([status, stdout, stderr]).toEqual([1, "", sentence]);
});

test("a dry run in the job of the tag packs what would be published, and sends nothing", () => {
  const registry = { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" };
  const origin = { GITHUB_SERVER_URL: "https://example.com", GITHUB_REPOSITORY: "team/assay" };
  const env = { ...process.env, ...job, ...registry, ...origin, ASSAY_PACKAGE_NAME: "@team/assay" };
  const args = ["infra/package/client/release.ts", "--dry-run"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repository, env, encoding: "utf8" });

  expect([status, stdout, stderr]).toEqual([0, `+ @team/assay@${packageFile.version}\n`, ""]);
});
