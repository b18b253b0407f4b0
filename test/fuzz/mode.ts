/** `valid`: has to be accepted. `refused`: one thing is wrong. `raw`: anything may come of it but a fault. */
export type Mode = "valid" | "refused" | "raw";
