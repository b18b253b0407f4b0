/** The service, key and project that a program sends traces to. */
export interface Destination {
  readonly serviceUrl: string;
  readonly apiKey: string;
  readonly projectName: string;
}
