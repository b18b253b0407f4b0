/** Entry point of `npm run client`: writes the generated files of the typed client. */
import { writeFile } from "node:fs/promises";
import { openApiDocument } from "../../lib/contract/openapi/document.ts";
import { routes } from "../../lib/contract/routes.ts";
import { clientFiles } from "./render.ts";

for (const [name, text] of await clientFiles(openApiDocument(routes), routes)) {
  await writeFile(new URL(`../../lib/client/${name}`, import.meta.url), text);
}
