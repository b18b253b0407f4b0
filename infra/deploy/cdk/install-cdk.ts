import { join } from "node:path";
import { installPackages } from "../../supply/install-packages.ts";

/** Returns the path of the CDK's command line, which is installed on first use. @throws Error with the command to run when npm fails. */
export const installCdk = (): string => {
  const folder = join(import.meta.dirname, "cli");
  installPackages(folder);
  return join(folder, "node_modules/aws-cdk/bin/cdk");
};
