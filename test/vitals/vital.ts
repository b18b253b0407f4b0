/** One figure of the service, as text with its unit. */
export interface Vital {
  readonly name: string;
  readonly figure: string;
}

/** Figures as a table in Markdown's form. */
export const vitalTable = (vitals: readonly Vital[]): string =>
  ["| vital | |", "|---|---|", ...vitals.map(({ name, figure }) => `| ${name} | ${figure} |`)].join("\n");

/** Figures of two columns, the first line their heading, as a table in Markdown's form. */
export const billTable = (bill: readonly Vital[]): string =>
  bill.map(({ name, figure }) => `| ${name} | ${figure} |`).join("\n");
