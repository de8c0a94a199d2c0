import { accessTwins } from './access.ts';
import type { Deviation } from './call.ts';
import { contentTwins } from './content.ts';

/** A sandbox that breaks its word on purpose, to test the rules. */
export interface Twin {
  /** What `serve --break` calls it. */
  name: string;
  /** Ids of the rules that must find it out, all of them and no other. */
  breaks: readonly string[];
  /** A deviation in front of the API, or a listener that serves plain HTTP too. */
  how: Deviation | 'plain-http';
}

/** Every twin. */
export const twins: readonly Twin[] = [...contentTwins, ...accessTwins];

export const twinNames: readonly string[] = twins.map(({ name }) => name);
