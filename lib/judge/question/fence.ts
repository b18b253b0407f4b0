import { neutralised } from "./fence-lookalikes.ts";

/** The lines around material. */
interface Fence {
  readonly opens: string;
  readonly closes: string;
}

/** What a fence holds: the rendered trace, or what an earlier question drew from it. */
type FenceLabel = "RECORD" | "NOTES";

/**
 * The two lines of a fence. What stands between them is material, never an instruction. The nonce is random and made after
 * the material was written, so no material can contain the line that ends it.
 */
export const fenceLines = (label: FenceLabel, nonce: string): Fence => ({
  opens: `<<<<< ${label} ${nonce} BEGINS >>>>>`,
  closes: `<<<<< ${label} ${nonce} ENDS >>>>>`,
});

/** Puts text into a fence. A model can repeat the nonce into what it draws from a trace, so it is taken out as well. */
export const fenced = (label: FenceLabel, nonce: string, text: string): string => {
  const { opens, closes } = fenceLines(label, nonce);
  return `${opens}\n${neutralised(text).replaceAll(nonce, "[nonce]")}\n${closes}`;
};
