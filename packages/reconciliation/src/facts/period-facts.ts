import type { FactNumber, Fence } from './fact-number.ts';
import type { PersonKey } from './people.ts';
import type { EventDetail } from './trail.ts';

/** A decision about a period, as recorded in the trail. */
export interface Decision {
  /** Number of the action in the trail. */
  number: number;
  /** The token's owner, followed by the person if a request named one. */
  actor: string;
  /** The person who signed in; undefined: a token's owner. */
  person: PersonKey | undefined;
  /** When the decision took effect, in milliseconds since 1970. */
  at: number;
}

/** A prepared close. */
export interface Preparation extends Decision {
  /** SHA-256 of the statements. */
  statements: string;
}

/** A request to reopen a closed period, or an accepted finding. */
export interface Reasoned extends Decision {
  reason: string;
}

export interface Acceptance extends Reasoned {
  /** SHA-256 of the accepted records. */
  digest: string;
}

export interface Reopening extends Reasoned {
  /** Undefined if one person reopened it alone. */
  approved: Decision | undefined;
}

/** Decisions about a period since it was last closed or reopened. */
export interface PeriodWork {
  prepared: Preparation | undefined;
  /** Keyed by the check to which they apply. */
  accepted: Readonly<Record<string, Acceptance>>;
  reopening: Reasoned | undefined;
  /** Number of the last event that changed the work, or 0. New decisions are based on it. */
  last: number;
}

/** The close of a period, as recorded in the trail. */
export interface Closing extends Decision {
  period: string;
  hash: string;
  /** The decisions before the close. */
  work: PeriodWork;
}

/** People's decisions about periods, derived from the trail alone. */
export interface PeriodDecisions {
  /** Keyed by period. */
  work: ReadonlyMap<string, PeriodWork>;
  /** Keyed by the number of the seal. */
  closings: ReadonlyMap<number, Closing>;
  reopenings: ReadonlyMap<number, Reopening>;
}

/** The outcome of an action to record. */
export interface NewDecision {
  /** Number of the action in the trail. */
  action: number;
  period: string;
  at: number;
  detail: EventDetail;
  /** `last` of the work on which the decision is based. */
  last: number;
}

export interface NewSeal {
  period: string;
  at: number;
  /** Canonical JSON: see `SealBody` in `periods/seal.ts`. */
  body: string;
  /** Sealed cash flows by order, in Parquet. */
  flows: Uint8Array;
  /** Contents that the seal covers. They stay stored when a sync replaces them. */
  days: readonly { day: string; checksum: string }[];
}

/** A seal, which never changes: the close in the trail states its SHA-256. */
export interface SealFact extends Omit<NewSeal, 'flows' | 'days'> {
  /** Position among all seals, from 1. */
  seq: number;
  /** SHA-256 of the body. */
  hash: string;
  /** Number of the last fact about the seal: its close or reopening. */
  number: FactNumber;
  /** As recorded in the trail. */
  reopened: Reopening | undefined;
}

/**
 * Periods and their seals in the record store. Decisions are made in the trail: one takes effect
 * together with its action's outcome and the resulting changes, in one transaction.
 */
export interface PeriodFacts {
  periodDecisions(): Promise<PeriodDecisions>;
  /**
   * Records a decision.
   * @param outcome `done`, or `asked` for a request that another person must approve; `lapsed`: an
   * earlier decision lapsed
   * @returns false if the work on the period has changed @throws {LeaseLostError}
   */
  decide(fence: Fence, outcome: DecisionOutcome, decision: NewDecision): Promise<boolean>;
  /** Returns all seals in order, including reopened ones. */
  seals(): Promise<SealFact[]>;
  /** Returns seals whose last fact has a higher number, sorted by number. */
  sealsAfter(number: FactNumber, limit: number): Promise<SealFact[]>;
  /** @throws {ContentError} if the stored bytes were altered */
  sealFlows(seq: number): Promise<Uint8Array>;
  /**
   * Writes a seal and the close in the trail, unless the record store has facts after `head`, which
   * the seal would not cover, or the work on the period has changed.
   * @param close receives the seal's position and SHA-256 in its detail
   * @returns undefined in these cases @throws {LeaseLostError}
   */
  writeSeal(
    fence: Fence,
    seal: NewSeal,
    head: FactNumber,
    close: Omit<NewDecision, 'period' | 'detail'>,
  ): Promise<SealFact | undefined>;
  /**
   * Reopens the last seal, and records this in the trail.
   * @returns undefined if the work on the period has changed @throws {LeaseLostError}
   */
  reopenSeal(fence: Fence, seq: number, decision: NewDecision): Promise<FactNumber | undefined>;
  /** Returns the SHA-256 of each day's stored content. */
  contentChecksums(): Promise<Map<string, string>>;
  /**
   * Returns a day's content by its SHA-256, whether current or kept for a seal, without verifying
   * it.
   */
  sealedContent(day: string, checksum: string): Promise<Uint8Array | undefined>;
}

/** Outcomes of actions that take effect. All others are refusals and failures. */
export const decisionOutcomes = ['done', 'asked', 'lapsed'] as const;
export type DecisionOutcome = (typeof decisionOutcomes)[number];
