import type { Call } from "./curl.ts";
import { breakable, html, type Html } from "./html.ts";
import { markdownGuides } from "./markdown-guides.ts";

/** The operations of one resource. */
export interface Resource {
  /** OpenAPI tag, and the last segment of the page's URL. */
  readonly tag: string;
  readonly title: string;
  readonly calls: readonly Call[];
}

/**
 * Renders the table of contents with all operations, grouped by resource. Only the group of the page's own resource is expanded; on a
 * narrow screen the whole table is collapsed. The search field, which the script displays, shows its results in place of the table.
 *
 * @param topic topic of the page; `""` for the first page, on which the entries have the ids of the operations, so that
 *   `/docs#createTrace` leads to a link to the operation's page.
 */
export const navigation = (title: string, resources: readonly Resource[], topic: string): Html => {
  const entry = ({ method, path, operation: { operationId, summary } }: Call): Html =>
    html` <li${topic === "" ? html` id="${operationId}"` : ""}>
      <a href="#${operationId}"
        ><span class="${method}">${method.toUpperCase()}</span> ${breakable(path)} <small>${summary}</small></a
      >
    </li>`;

  const group = ({ tag, title: name, calls }: Resource): Html =>
    html` <details${tag === topic ? html` open` : ""}>
      <summary>${name} <small>${calls.length}</small></summary>
      <ul>
        <li><a href="#${tag}">${name}: all operations</a></li>
        ${calls.map(entry)}
      </ul>
    </details>`;

  return html` <a class="skip" href="#main">Skip to the content</a>
    <div class="side">
      <header><a href="#start">${title}</a></header>
      <search id="search" hidden>
        <label for="query">Search the pages: words, paths, fields, error codes, events</label>
        <input
          id="query"
          type="search"
          placeholder="Search the documentation"
          autocomplete="off"
          spellcheck="false"
          aria-keyshortcuts="/"
        />
        <kbd aria-hidden="true">/</kbd>
        <p id="found" role="status"></p>
        <ul id="hits" hidden></ul>
      </search>
      <nav aria-label="Contents">
        <details id="contents">
          <summary>Contents</summary>
          <div>
            <ul>
              <li><a href="#start">Quick start</a></li>
              <li><a href="#send-traces">Send traces from a framework</a></li>
              <li><a href="#dataset-items">Fill and export datasets</a></li>
              <li><a href="#label-traces">Label traces and measure a judge</a></li>
              <li><a href="#experiments-and-gates">Run experiments and gate releases</a></li>
              ${markdownGuides.map(({ topic: guide, title: name }) => html`<li><a href="#${guide}">${name}</a></li>`)}
              <li><a href="#client-and-command-line">Use the npm package and the command line</a></li>
              <li><a href="#example-queries">Example queries</a></li>
              <li><a href="#every-call">Conventions of the API</a></li>
              <li><a href="#shared-schemas">Schemas</a></li>
              <li><a href="openapi.json">openapi.json</a></li>
            </ul>
            ${resources.map(group)}
          </div>
        </details>
      </nav>
    </div>`;
};
