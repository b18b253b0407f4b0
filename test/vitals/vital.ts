/** A figure of the service, as text with its unit. */
export interface Vital {
  readonly name: string;
  readonly figure: string;
}

/** Figures as a Markdown table. */
export const vitalTable = (vitals: readonly Vital[]): string =>
  ["| vital | |", "|---|---|", ...vitals.map(({ name, figure }) => `| ${name} | ${figure} |`)].join("\n");

/** Two columns of figures as a Markdown table whose first line is the header. */
export const billTable = (bill: readonly Vital[]): string =>
  bill.map(({ name, figure }) => `| ${name} | ${figure} |`).join("\n");
