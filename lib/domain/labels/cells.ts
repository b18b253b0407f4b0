/** Cells of a judge's verdict and a label: true and false, positive (passing) and negative. */
export const agreementCells = ["tp", "fp", "fn", "tn"] as const;

export type AgreementCell = (typeof agreementCells)[number];
