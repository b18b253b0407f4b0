/** Whom a printed call speaks to, and as whom. */
export interface Caller {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly projectName: string;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A call as a line for a POSIX shell, broken where it gets long; with a body it is a POST. */
export const curl = ({ baseUrl, apiKey, projectName }: Caller, path: string, body?: unknown): string =>
  [
    `curl -s ${quoted(baseUrl + path)}`,
    `-H ${quoted(`X-API-Key: ${apiKey}`)} -H ${quoted(`X-Project-Name: ${projectName}`)}`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(" \\\n    ");
