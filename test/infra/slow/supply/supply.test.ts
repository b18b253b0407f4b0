import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleMetafile } from "../../../../infra/local/build/bundle-metafile.ts";
import { repository } from "../../../../infra/local/repository.ts";
import { readAudit } from "../../../../infra/supply/audit-report.ts";
import { shippedPackages } from "../../../../infra/supply/shipped-packages.ts";

const shipped = shippedPackages(repository);

/** Licences of dependencies that may be deployed with the service. */
const allowed = new Set(["Apache-2.0", "MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD"]);

test("every deployed package declares an allowed licence, the same where it is installed", () => {
  const differing = shipped.filter(({ installPath: place, license }) => {
    const file = join(repository, place, "package.json");
    // One for the machines of functions alone is not installed elsewhere.
    const installed = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { license?: string }) : { license };
    return license === undefined || !allowed.has(license) || installed.license !== license;
  });

  expect(differing).toEqual([]);
});

/** Module of the npm package alone, which brings no package: its user has those of OpenTelemetry. */
const otelModule = "lib/client/otel.ts";

test("every package that lib and functions import is among the deployed ones, with its own dependencies", async () => {
  // The bundler distinguishes an import from an example program within a text.
  const files = globSync(["lib/**/*.{ts,tsx}", "functions/**/*.ts"], { cwd: repository, exclude: [otelModule] });
  const { inputs } = await bundleMetafile(files);
  const imported = new Set(
    Object.values(inputs)
      .flatMap(({ imports }) => imports)
      .filter(({ path, external }) => external === true && !path.startsWith("node:"))
      .map(({ path }) => /^(?:@[\w-]+\/)?[\w-]+/u.exec(path)?.[0] ?? path),
  );
  const names = new Set(shipped.map(({ name }) => name));

  expect(imported.size).toBeGreaterThan(5);
  expect([...imported].filter((name) => !names.has(name))).toEqual([]);
  expect([...imported]).toEqual(expect.arrayContaining(["preact", "@preact/signals"]));
  expect(names.has("@smithy/types")).toBe(true);
});

test("the bill of materials lists each package and the local database with version, licence and hash, the same each time", () => {
  const print = () => execFileSync(process.execPath, [join(repository, "infra/supply/sbom.ts")], { encoding: "utf8" });
  const document = JSON.parse(print());

  expect(document).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
  const isExcluded = ({ scope }: { readonly scope?: string }) => scope === "excluded";
  expect(document.components).toHaveLength(shipped.length + 1);
  expect(document.components.filter(isExcluded)).toMatchObject([
    {
      name: "@dynoxide/linux-x64",
      licenses: [{ expression: "(MIT OR Apache-2.0)" }],
      components: [{ type: "file", name: "dynoxide", hashes: [{ alg: "SHA-256" }] }],
    },
  ]);
  for (const component of document.components)
    expect(component).toMatchObject({
      purl: expect.stringMatching(/^pkg:npm\/(?:%40[\w-]+\/)?[\w.-]+@\d+\.\d+\.\d+/u),
      licenses: [{ expression: expect.any(String) }],
      hashes: [{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/u) }],
    });
  expect(print()).toBe(JSON.stringify(document, null, 2) + "\n");
});

const kindsOfDependencies = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "overrides",
] as const;

type PackageFile = Readonly<Partial<Record<(typeof kindsOfDependencies)[number], Readonly<Record<string, unknown>>>>>;

test("dependencies of every package file are pinned exactly, to what its lock file installs, or are folders here", () => {
  const read = (path: string) => JSON.parse(readFileSync(join(repository, path), "utf8"));
  const files = globSync("{*,{.ci,infra,lib,test}/**/*}", {
    cwd: repository,
    exclude: ["**/node_modules"],
  }).filter((path) => /(?:^|\/)package\.json$/u.test(path) && !path.includes("node_modules"));
  const dependencies = files.flatMap((path) => {
    const file: PackageFile = read(path);
    return kindsOfDependencies.flatMap((kind) =>
      Object.entries(file[kind] ?? {})
        .filter(([, spec]) => !String(spec).startsWith("file:infra/"))
        .map(([name, spec]) => ({ path, name, spec })),
    );
  });
  const installed = dependencies.map(({ path, name }) => ({
    path,
    name,
    spec: read(path.replace(/package\.json$/u, "package-lock.json")).packages[`node_modules/${name}`]?.version,
  }));

  expect(files).toEqual(
    expect.arrayContaining(["package.json", ".ci/knip/package.json", "test/bench/peers/package.json"]),
  );
  expect(dependencies.length).toBeGreaterThan(70);
  for (const { spec } of dependencies) expect(spec).toMatch(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/u);
  expect(dependencies).toEqual(installed);
});

const advisory = { title: "Reads too much", url: "https://advisories.example/1" };
const vulnerable = (name: string, ...via: readonly unknown[]) => ({
  [name]: { name, severity: "high", via, nodes: [`node_modules/${name}`] },
});

test("an audit says what it found, and fails for packages that are shipped", () => {
  const paths = new Set(["node_modules/a"]);
  const audit = (report: object) => readAudit(JSON.stringify(report), paths);

  expect(audit({ vulnerabilities: { ...vulnerable("a", advisory), ...vulnerable("b", "a") } })).toEqual({
    lines: ["SHIPPED high a: Reads too much, https://advisories.example/1", "development high b: by a"],
    isShippedVulnerable: true,
  });
  expect(audit({ vulnerabilities: vulnerable("b", advisory) }).isShippedVulnerable).toBe(false);
  expect(audit({ vulnerabilities: {} }).lines).toEqual(["No known vulnerability."]);
});

test.each([
  ["no connection", JSON.stringify({ message: "ECONNREFUSED" })],
  ["no output", ""],
])("an audit without advisories says so and passes: %s", (_, json) => {
  expect(readAudit(json, new Set())).toEqual({
    lines: [expect.stringMatching(/^Not audited, /u)],
    isShippedVulnerable: false,
  });
});
