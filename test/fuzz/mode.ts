/** `valid`: must be accepted. `refused`: has one error. `raw`: any reply except a fault. */
export type Mode = "valid" | "refused" | "raw";
