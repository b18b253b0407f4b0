import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { repository } from "../../../../infra/local/repository.ts";
import { listTraces } from "../../../../lib/contract/traces/traces.ts";
import { installPackage, type InstalledPackage, pageProgram } from "../../../support/package/installed-package.ts";
import { newProject } from "../../../support/service/client.ts";

const service = inject("service");
let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
});
afterAll(() => installed.remove());

const variablesOf = (project: ReturnType<typeof newProject>) => ({
  ASSAY_URL: service.baseUrl,
  ASSAY_API_KEY: service.tenant.apiKey,
  ASSAY_PROJECT: String(project.headers["X-Project-Name"]),
});

test("the tarball brings no other package, and is below 60 KB without the command line", () => {
  const directory = join(installed.folder, "node_modules/assay");
  const library = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter(
    (name) => !/^(?:cli|skill)(?:\/|$)/u.test(name) && statSync(join(directory, name)).isFile(),
  );
  const bytes = gzipSync(Buffer.concat(library.map((name) => readFileSync(join(directory, name)))));

  const packages = readdirSync(join(installed.folder, "node_modules")).filter((name) => !name.startsWith("."));
  expect(packages).toEqual(["assay"]);
  expect(JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))).toMatchObject({ dependencies: {} });
  expect(library).toContain("otel.d.ts");
  expect(bytes.length).toBeLessThan(60_000);
});

test("the client loads without OpenTelemetry, and its errors have class, code and request id", async () => {
  writeFileSync(
    join(installed.folder, "client.mjs"),
    `import { createClient, NotFoundError } from "assay";
     const { ASSAY_URL: baseUrl, ASSAY_API_KEY: apiKey, ASSAY_PROJECT: projectName } = process.env;
     const assay = createClient({ baseUrl, credentials: { apiKey, projectName } });
     const error = await assay.getTrace({ path: { trace_id: "unknown" } }).catch((error) => error);
     console.log(error instanceof NotFoundError, error.code, error.requestId.length);`,
  );

  const result = await installed.run(["client.mjs"], variablesOf(newProject(service)));

  expect(result).toEqual({ code: 0, stdout: "true not_found 36\n", stderr: "" });
});

test("the program of the package's page sends a trace and prints its score, as it is and bundled by esbuild", async () => {
  installed.addPeers();
  const file = join(installed.folder, "page.mjs");
  writeFileSync(file, pageProgram);
  await build({
    entryPoints: [file],
    outfile: join(installed.folder, "bundle.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
  });

  for (const program of ["page.mjs", "bundle.mjs"]) {
    const project = newProject(service);
    const result = await installed.run([program], variablesOf(project));
    expect(result).toEqual({ code: 0, stdout: "task_completion 1.0\n", stderr: "" });
    expect((await project.page(listTraces)).items).toMatchObject([{ name: "answer", status: "COMPLETED" }]);
  }
});

test("spans that the service refuses do not break the program, which says so once", async () => {
  writeFileSync(
    join(installed.folder, "lost.mjs"),
    `import { trace } from "@opentelemetry/api";
     import { register } from "assay/otel";
     const { flush } = register({ url: process.env.ASSAY_URL, apiKey: "sk_as_wrong" });
     for (const name of ["a", "b"]) {
       trace.getTracer("t").startSpan(name).end();
       await flush();
     }
     try { register({ url: process.env.ASSAY_URL, apiKey: "again" }); } catch (error) { console.log(error.message); }
     try { register({ url: "", apiKey: "k" }); } catch (error) { console.log(error.message); }`,
  );

  const { code, stdout, stderr } = await installed.run(["lost.mjs"], variablesOf(newProject(service)));

  expect([code, stderr]).toEqual([0, "Spans that Assay did not get: 1 (Unauthorized).\n"]);
  expect(stdout.split("\n")).toEqual([
    expect.stringContaining("Another OpenTelemetry provider is registered"),
    "The url of Assay is missing.",
    "",
  ]);
});

test("a program in TypeScript gets the types of both entry points", async () => {
  writeFileSync(
    join(installed.folder, "types.mts"),
    `${pageProgram}
export const typed: string = (await assay.getTrace({ path: { trace_id: "t" } })).name;
// @ts-expect-error -- no such field
await assay.listTraces({ query: { nme: "x" } });
// @ts-expect-error -- the key is missing
register({ url });
`,
  );
  const compiler = join(repository, "node_modules/typescript/bin/tsc");
  const types = ["--typeRoots", join(repository, "node_modules/@types"), "--types", "node"];
  const args = [compiler, "--noEmit", "--singleThreaded", "--strict", "--module", "nodenext", "--target", "es2024"];

  const { stdout } = await installed.run([...args, ...types, "types.mts"]);

  expect(stdout).toBe("");
});
