import type { MarkdownGuide } from "./markdown-guides.ts";

/** A page in the list for language models. */
export interface ListedPage {
  readonly topic: string;
  readonly title: string;
}

/** Returns the list of all pages in Markdown (llms.txt), with the guides first. @param serviceUrl base URL of the service. */
export const llmsText = (
  introduction: string,
  guides: readonly MarkdownGuide[],
  pages: readonly ListedPage[],
  serviceUrl: string,
): string => {
  const line = ({ topic, title }: ListedPage): string => `- [${title}](${serviceUrl}/docs/${topic}.md)`;
  return [
    "# Assay",
    `> ${introduction}`,
    `Coding agents: tools by MCP are at ${serviceUrl}/mcp, with the headers of any request. Each page is also HTML, without \`.md\`.`,
    "## Guides",
    guides.map(line).join("\n"),
    "## Pages",
    pages.map(line).join("\n"),
    "## Optional",
    `- [OpenAPI document](${serviceUrl}/openapi.json)`,
    "",
  ].join("\n\n");
};
