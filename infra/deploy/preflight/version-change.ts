import type { RunningStack } from "../../settings/running-settings.ts";
import { type Build, buildName } from "../../supply/build.ts";
import { fault, type Finding, ok } from "./finding.ts";

/** Name of the version of a stack that states none. */
const unknownVersion = "unknown";

interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Text after the hyphen of a pre-release, `beta.2`; empty for a release. */
  readonly preRelease: string;
}

/** Parses `1.2.3` or `1.2.3-beta.1`; null for other texts. */
const versionOf = (text: string): Version | null => {
  const [, major, minor, patch, preRelease = ""] = /^(\d+)\.(\d+)\.(\d+)(?:-([\w.]+))?$/u.exec(text) ?? [];
  return major === undefined ? null : { major: Number(major), minor: Number(minor), patch: Number(patch), preRelease };
};

/** Compares pre-releases of one version; a release follows all of its pre-releases. */
const comparePreReleases = (a: string, b: string): number =>
  a === "" || b === "" ? Number(a === "") - Number(b === "") : a.localeCompare(b, "en", { numeric: true });

/** Returns a number below 0 if the first version is the earlier one. */
const compareVersions = (a: Version, b: Version): number =>
  a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePreReleases(a.preRelease, b.preRelease);

/** Returns what to do instead of a deployment over another version, without its subject; null if it can be deployed. */
const changeAdvice = (running: string, checkout: string): string | null => {
  const [from, to] = [versionOf(running), versionOf(checkout)];
  if (to === null) return null;
  if (from === null || (from.major === 0 && to.major > 0))
    return `its data is of a build before 1.0.0, which ${checkout} is not promised to read: deploy a new stage beside it (UPGRADING.md), or add --over ${running} if nobody needs the data.`;
  const isEarlier = compareVersions(to, from) < 0;
  if (from.major !== to.major)
    return isEarlier
      ? `a major version is not rolled back like a minor one: read UPGRADING.md for ${running}, which says whether there is a way back, then add --over ${running}.`
      : `this is a new major version: do what UPGRADING.md says for ${checkout}, then add --over ${running}.`;
  if (Math.abs(from.minor - to.minor) > 1) {
    const next = `${from.major}.${from.minor + (isEarlier ? -1 : 1)}`;
    return `minor versions are ${isEarlier ? "rolled back" : "deployed"} one at a time: check out the last version ${next} and deploy that first (${isEarlier ? "infra/rollback.md" : "UPGRADING.md"}).`;
  }
  return isEarlier ? `this is a rollback: read infra/rollback.md, then add --over ${running}.` : null;
};

/**
 * Compares the build of a running stack with the checkout's. Stops at a downgrade, a skipped minor version, a major version, and
 * data of builds before 1.0.0, unless the operator names the running version.
 *
 * @param over version after `--over`.
 */
export const versionFindings = (
  name: string,
  stack: RunningStack,
  checkout: Build,
  over: string | undefined,
): readonly Finding[] => {
  if (stack.kind === "none")
    return over === undefined ? [] : [fault(`There is no running stack ${name}: remove --over ${over}.`)];
  const running = stack.build ?? { version: unknownVersion, commit: "unknown" };
  if (over !== undefined && over !== running.version)
    return [fault(`The running stack ${name} has the version ${running.version}, not ${over} as --over says.`)];
  const advice = over === undefined ? changeAdvice(running.version, checkout.version) : null;
  return advice === null
    ? [ok(`The stack ${name} runs ${buildName(running)}; this checkout is ${buildName(checkout)}.`)]
    : [fault(`The stack ${name} runs version ${running.version}, and this checkout is ${checkout.version}: ${advice}`)];
};
