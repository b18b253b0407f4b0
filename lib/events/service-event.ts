/** EventBridge source of all events of the service; the roles of its functions allow no other source. */
export const eventSource = "assay";

/** EventBridge's limit of events per call. */
export const maxEventsPerCall = 10;

/** Event that the service publishes for EventBridge rules of its users. */
export interface ServiceEvent {
  readonly detailType: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Time of the event, ISO 8601. */
  readonly time: string;
}
