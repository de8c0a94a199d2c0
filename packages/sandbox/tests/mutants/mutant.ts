import type { Deviation } from './call.ts';

/** A sandbox that breaks promises on purpose, to test the rules. */
export interface Mutant {
  /** Name in reports. */
  name: string;
  /** Ids of exactly the rules that must fail. */
  breaks: readonly string[];
  /** A deviation in front of the API, or a listener that also serves plain HTTP. */
  how?: Deviation | 'plain-http';
  /** Whether the rules need charges of the run to detect it. */
  charges?: true;
  /** Rewrites a notification that the merchant received. */
  notification?: (body: Record<string, unknown>) => object;
  /** Rewrites the browser script. */
  script?: (text: string) => string;
}
