import type { EvidenceKind, CustomMetricTarget } from "../../domain/metrics/custom/definition.ts";
import type { StatementAnswer, YesNo } from "../../domain/metrics/rubric.ts";

/** A metric template, which a project can copy as a custom metric. */
export interface GalleryMetric<S extends string = string, L extends string = string> {
  readonly name: string;
  readonly target_type: CustomMetricTarget;
  readonly description: string;
  readonly instructions: string;
  /** Levels of the score, the highest first. */
  readonly scale: readonly { readonly label: L; readonly meaning: string; readonly value: number }[];
  readonly statements: readonly {
    readonly name: S;
    readonly text: string;
    readonly yes: string;
    readonly no: string;
  }[];
  readonly rule: readonly {
    readonly level: NoInfer<L>;
    readonly answers: { readonly [Name in NoInfer<S>]?: YesNo };
    readonly least?: number;
  }[];
  readonly otherwise: NoInfer<L>;
  readonly evidence: readonly EvidenceKind[];
  readonly threshold: number;
  readonly examples: readonly {
    readonly record: string;
    readonly answers: Readonly<Record<NoInfer<S>, StatementAnswer>>;
    readonly reason: string;
  }[];
}

/** Defines a metric template; the types check that its rule and examples use its own statements and levels. */
export const galleryMetric = <const S extends string, const L extends string>(
  metric: GalleryMetric<S, L>,
): GalleryMetric => metric;
