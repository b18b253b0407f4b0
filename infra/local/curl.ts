/** The service address and the credentials in a printed curl command. */
export interface Caller {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly projectName: string;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Formats a curl command for a POSIX shell, wrapped over several lines; a request with a body is a POST. */
export const curl = ({ baseUrl, apiKey, projectName }: Caller, path: string, body?: unknown): string =>
  [
    `curl -s ${quoted(baseUrl + path)}`,
    `-H ${quoted(`X-API-Key: ${apiKey}`)} -H ${quoted(`X-Project-Name: ${projectName}`)}`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(" \\\n    ");
