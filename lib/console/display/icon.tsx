import { h } from "preact";
import type { IconNode } from "lucide";

/** Icon of lucide, in the color of its text. It says nothing to a screen reader: what it stands in has a name. */
export const Icon = ({ node }: { readonly node: IconNode }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    {node.map(([tag, attributes]) => h(tag, attributes))}
  </svg>
);
