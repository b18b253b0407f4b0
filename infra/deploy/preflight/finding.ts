/** Result of one check before a deployment: `fault` stops it, `note` does not. */
export interface Finding {
  readonly level: "ok" | "note" | "fault";
  readonly sentence: string;
}

export const ok = (sentence: string): Finding => ({ level: "ok", sentence });
export const note = (sentence: string): Finding => ({ level: "note", sentence });
export const fault = (sentence: string): Finding => ({ level: "fault", sentence });
