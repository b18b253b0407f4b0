import * as v from "valibot";

const advisory = v.union([v.string(), v.object({ title: v.string(), url: v.string() })]);

const vulnerability = v.object({
  name: v.string(),
  severity: v.string(),
  via: v.array(advisory),
  nodes: v.array(v.string()),
});

const report = v.object({
  message: v.optional(v.string()),
  vulnerabilities: v.optional(v.record(v.string(), vulnerability)),
});

/** Result of an audit: sentences to print, and true if a package that is shipped has a known vulnerability. */
export interface Audit {
  readonly lines: readonly string[];
  readonly isShippedVulnerable: boolean;
}

/**
 * Reads the report of `npm audit --json`.
 *
 * @param shippedPaths install directories of the packages that the functions' bundles can contain.
 */
export const readAudit = (json: string, shippedPaths: ReadonlySet<string>): Audit => {
  const { message = "npm gave no report", vulnerabilities } = v.parse(report, JSON.parse(json === "" ? "{}" : json));
  if (vulnerabilities === undefined)
    return { lines: [`Not audited, the registry gave no advisories: ${message}`], isShippedVulnerable: false };
  const entries = Object.values(vulnerabilities).map(({ name, severity, via, nodes }) => {
    const reasons = via.map((each) => (typeof each === "string" ? `by ${each}` : `${each.title}, ${each.url}`));
    const isShipped = nodes.some((path) => shippedPaths.has(path));
    return { isShipped, line: `${isShipped ? "SHIPPED" : "development"} ${severity} ${name}: ${reasons.join("; ")}` };
  });
  return {
    lines: entries.length === 0 ? ["No known vulnerability."] : entries.map(({ line }) => line),
    isShippedVulnerable: entries.some(({ isShipped }) => isShipped),
  };
};
