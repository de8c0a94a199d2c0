import type { Deviation } from './call.ts';

/** A sandbox that deliberately violates requirements, to test the rules. */
export interface Mutant {
  /** Name in reports. */
  name: string;
  /** Ids of the rules that must fail, and no others. */
  breaks: readonly string[];
  /** A deviation that wraps the API, or a listener that also serves plain HTTP. */
  how?: Deviation | 'plain-http';
  /** Whether the rules need charges in the run to detect the mutant. */
  charges?: true;
  /** Rewrites a notification that the merchant received. */
  notification?: (body: Record<string, unknown>) => object;
  /** Rewrites the browser script. */
  script?: (text: string) => string;
}
