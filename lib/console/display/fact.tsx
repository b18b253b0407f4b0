import type { ComponentChildren } from "preact";

/** Value with its label above it, in a list of facts. */
export const Fact = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd dir="auto">{children}</dd>
  </div>
);
