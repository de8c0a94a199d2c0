import { accessMutants } from './access.ts';
import type { Deviation } from './call.ts';
import { contentMutants } from './content.ts';
import { contractMutants } from './contract.ts';

/** A sandbox that breaks its word on purpose, to test the rules. */
export interface Mutant {
  /** What `serve --break` calls it. */
  name: string;
  /** Ids of the rules that must find it out, all of them and no other. */
  breaks: readonly string[];
  /** A deviation in front of the API, or a listener that serves plain HTTP too. */
  how?: Deviation | 'plain-http';
  /** Whether the rules need charges of the run to find it out. */
  charges?: true;
  /** Rewrites a notification that the merchant received. */
  notification?: (body: Record<string, unknown>) => object;
  /** Rewrites the browser script. */
  script?: (text: string) => string;
}

/** Every mutant. */
export const mutants: readonly Mutant[] = [...contentMutants, ...accessMutants, ...contractMutants];

/** Names of the mutants of the API, as which a sandbox can serve. */
export const mutantNames: readonly string[] = mutants
  .filter(({ how }) => how !== undefined)
  .map(({ name }) => name);
