interface Bar {
  /** Height from 0 to 1. */
  readonly height: number;
  /** Tooltip and accessible name. */
  readonly title: string;
  readonly href: string;
}

/** Bar chart in which each bar is a link to the scores that it counts. */
export const BarChart = ({ bars, label }: { readonly bars: readonly Bar[]; readonly label: string }) => (
  <div class="bars" role="group" aria-label={label}>
    {bars.map(({ height, title, href }) => (
      <a title={title} aria-label={title} href={href}>
        <span style={{ height: `${height === 0 ? 0 : Math.max(3, height * 100)}%` }} />
      </a>
    ))}
  </div>
);
