/** Entry point of `npm run pack:client -- [--name NAME]`: writes the npm package into the current directory. */
import { parseCommandLine } from "../../command-line.ts";
import { packClient } from "./npm-pack.ts";

const { values } = parseCommandLine({ name: { type: "string", default: "assay" } });
console.log(await packClient(process.cwd(), { name: values.name, repositoryUrl: null }));
