import type { Fence, Tally } from './books.ts';
import type { WindowProof } from './window.ts';

/** One of the shares that a run was cut into. */
export interface ShareName {
  /** Unique to how it was cut: whoever takes the run up cuts it anew. */
  plan: string;
  ordinal: number;
}

/** How far a share is. It is written with each day, so that who comes after a kill loses nothing. */
export interface ShareProgress {
  tally: Tally;
  findings: Findings;
  isDone: boolean;
}

/** Days of a run that one companion reads, while others read others. */
export interface Share extends ShareName, ShareProgress {
  runId: string;
  /** Newest first. */
  days: string[];
}

/** What has to be known of the days of a share once those of all others have been read. */
export interface Findings {
  /** By day, other days that had a funding of it, too. */
  moved: Record<string, string[]>;
  /** By day, fundings that went away and were nowhere to be found; `many`: more than are listed. */
  lost: Record<string, { id: string; orderKey: string }[] | 'many'>;
  /** By the day of a window, what its pages were. */
  proofs: Record<string, WindowProof['proof']>;
  /** Records that came with days that they are not of. */
  strays: number;
}

/**
 * The shares of the run that is under way, for one environment. Companions take them by lease; those
 * of the one that leads the run end with its lease.
 */
export interface ShareBooks {
  /**
   * Cuts a run, in the place of any other cut.
   * @param counted what was counted of the run before
   * @throws {LeaseLostError}
   */
  cut(
    fence: Fence,
    cut: { plan: string; runId: string; counted: Tally; shares: readonly (readonly string[])[] },
  ): Promise<void>;
  /**
   * Takes a share that nobody is at, of a run whose leader has its lease.
   * @param zone only a run whose days are of this zone
   */
  claim(
    holder: string,
    zone: string,
    now: number,
    until: number,
  ): Promise<{ share: Share; fence: Fence } | undefined>;
  /** What has been counted of a run since it began; undefined: it is not cut. */
  counted(runId: string): Promise<Tally | undefined>;
  /** All that have findings, and how many are not done; `held`: of these by whom somebody is at. */
  state(plan: string, now: number): Promise<{ open: number; held: number }>;
  findings(plan: string): Promise<Findings[]>;
  /** Takes all shares away. @throws {LeaseLostError} */
  clear(fence: Fence): Promise<void>;
}
