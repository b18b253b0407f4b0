interface Bar {
  /** From 0 to 1. */
  readonly height: number;
  /** What it stands for, in words. */
  readonly title: string;
  readonly href: string;
}

/** A series of bars, each of which leads to what it counts. */
export const Bars = ({ bars, label }: { readonly bars: readonly Bar[]; readonly label: string }) => (
  <div class="bars" role="group" aria-label={label}>
    {bars.map(({ height, title, href }) => (
      <a title={title} aria-label={title} href={href}>
        <span style={{ height: `${height === 0 ? 0 : Math.max(3, height * 100)}%` }} />
      </a>
    ))}
  </div>
);
