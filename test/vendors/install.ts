import { installPackages } from "../../infra/supply/install-packages.ts";

/** Installs the SDKs before the programs run. */
export default function setup(): void {
  installPackages(import.meta.dirname);
}
