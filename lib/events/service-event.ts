/** What all events of the service name as their source; its functions' roles may send no other. */
export const eventSource = "assay";

/** EventBridge's limit of one call. */
export const mostEvents = 10;

/** Something that happened, for whoever has a rule for it. */
export interface ServiceEvent {
  readonly detailType: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly time: string;
}
