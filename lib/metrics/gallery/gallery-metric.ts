import type { EvidenceKind, CustomTarget } from "../../domain/metrics/custom/definition.ts";
import type { StatementAnswer, YesNo } from "../../domain/metrics/rubric.ts";

/** A metric to begin with: copied into a project it is the project's own. */
export interface GalleryMetric<S extends string = string, L extends string = string> {
  readonly name: string;
  readonly target_type: CustomTarget;
  readonly description: string;
  readonly instructions: string;
  /** The highest level first. */
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

/** Checks that rule and examples speak of the statements and levels that there are. */
export const galleryMetric = <const S extends string, const L extends string>(
  metric: GalleryMetric<S, L>,
): GalleryMetric => metric;
