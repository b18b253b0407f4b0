import type { Call } from "./curl.ts";
import { breakable, html, type Html } from "./html.ts";

/** The operations of one resource. */
export interface Resource {
  /** In a document's tags, and in the page's addresses. */
  readonly tag: string;
  readonly title: string;
  readonly calls: readonly Call[];
}

const link = ({ method, path, operation: { operationId, summary } }: Call): Html =>
  html` <li>
    <a href="#${operationId}"
      ><span class="${method}">${method.toUpperCase()}</span> ${breakable(path)} <small>${summary}</small></a
    >
  </li>`;

const folded = ({ title, calls }: Resource): Html =>
  html` <details>
    <summary>${title} <small>${calls.length}</small></summary>
    <ul>
      ${calls.map(link)}
    </ul>
  </details>`;

/**
 * Everything of the page by name, folded up: one line for each resource, and on a narrow screen one line for all of it. The
 * search field filters it; the script that makes it work shows it.
 */
export const navigation = (title: string, resources: readonly Resource[]): Html =>
  html` <a class="skip" href="#start">Skip the contents</a>
    <div class="side">
      <header><a href="#top">${title}</a></header>
      <search id="search" hidden>
        <label for="query">Search operations by path, words or parameter</label>
        <input
          id="query"
          type="search"
          placeholder="Search operations"
          autocomplete="off"
          spellcheck="false"
          aria-keyshortcuts="/"
        />
        <kbd aria-hidden="true">/</kbd>
        <p id="found" role="status"></p>
      </search>
      <nav aria-label="Contents">
        <details id="contents">
          <summary>Contents</summary>
          <div>
            <p id="nothing" hidden>No operation matches.</p>
            <ul>
              <li><a href="#start">First steps</a></li>
              <li><a href="#send-traces">Send traces from a framework</a></li>
              <li><a href="#every-call">Every call</a></li>
              <li><a href="#schemas">Schemas</a></li>
              <li><a href="openapi.json">openapi.json</a></li>
            </ul>
            ${resources.map(folded)}
          </div>
        </details>
      </nav>
    </div>`;
