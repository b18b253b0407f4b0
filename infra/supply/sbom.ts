/**
 * Entry point of `npm run -s sbom`: prints the shipped packages as a CycloneDX document, which only depends on the lock file; and, as
 * excluded, the program of the local database, which runs on developers' machines.
 */
import { join } from "node:path";
import packageFile from "../../package.json" with { type: "json" };
import { dynoxidePackage, programSums } from "../local/dynamodb/dynoxide-program.ts";
import { installedPackage, type ShippedPackage, shippedPackages } from "./shipped-packages.ts";

const repository = join(import.meta.dirname, "../..");

const purl = ({ name, version }: ShippedPackage): string => `pkg:npm/${name.replace(/^@/u, "%40")}@${version}`;

const component = (shipped: ShippedPackage) => {
  const [algorithm = "", digest] = (shipped.integrity ?? "").split("-");
  return {
    type: "library",
    "bom-ref": `${purl(shipped)}#${shipped.installPath}`,
    name: shipped.name,
    version: shipped.version,
    purl: purl(shipped),
    ...(shipped.license !== undefined && { licenses: [{ expression: shipped.license }] }),
    ...(digest !== undefined && {
      hashes: [
        {
          alg: algorithm.replace(/^sha/u, "SHA-").toUpperCase(),
          content: Buffer.from(digest, "base64").toString("hex"),
        },
      ],
    }),
  };
};

const localDatabases = Object.entries(programSums).map(([platform, sum]) =>
  Object.assign(component(installedPackage(repository, dynoxidePackage(platform))), {
    scope: "excluded",
    components: [{ type: "file", name: "dynoxide", hashes: [{ alg: "SHA-256", content: sum }] }],
  }),
);

const { name, version, license } = packageFile;
console.log(
  JSON.stringify(
    {
      $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      version: 1,
      metadata: { component: { type: "application", name, version, licenses: [{ license: { id: license } }] } },
      components: [...shippedPackages(repository).map(component), ...localDatabases],
    },
    null,
    2,
  ),
);
