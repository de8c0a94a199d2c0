import type { FactNumber, Fence } from './fact-number.ts';
import type { PersonKey } from './people.ts';
import type { EventDetail } from './trail.ts';

/** A decision about a period, as the trail has it. */
export interface Decision {
  /** Number of the action in the trail. */
  number: number;
  /** The token's owner, and the person if a request named one. */
  actor: string;
  /** The person who signed in. Undefined: the owner of a token. */
  person: PersonKey | undefined;
  /** When it took effect, in milliseconds since 1970. */
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
  /** Keyed by check of the close. */
  accepted: Readonly<Record<string, Acceptance>>;
  reopening: Reasoned | undefined;
  /** Number of the last event that changed it, or 0. New decisions are based on it. */
  last: number;
}

/** The close of a period, from the trail. */
export interface Closing extends Decision {
  period: string;
  hash: string;
  /** The decisions before the close. */
  work: PeriodWork;
}

/** What people have decided about periods, which the trail alone states. */
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
  /** Canonical JSON: see `SealBody` of periods. */
  body: string;
  /** Sealed cash flows by order, in Parquet. */
  flows: Uint8Array;
  /** Contents that the seal covers. They remain stored when a sync replaces them. */
  days: readonly { day: string; checksum: string }[];
}

/** A seal, which never changes: the close in the trail states its SHA-256. */
export interface SealFact extends Omit<NewSeal, 'flows' | 'days'> {
  /** Position among all seals, from 1. */
  seq: number;
  /** SHA-256 of the body. */
  hash: string;
  /** Number of the last fact about it: its close, or its reopening. */
  number: FactNumber;
  /** As the trail states it. */
  reopened: Reopening | undefined;
}

/**
 * Periods and their seals in the record store. People decide in the trail: a decision takes
 * effect with the outcome of its action, and with what it changes in one transaction.
 */
export interface PeriodFacts {
  periodDecisions(): Promise<PeriodDecisions>;
  /**
   * Records a decision.
   * @param outcome `done`, or `asked` for a request that another person has to approve; `lapsed`:
   * an earlier decision lapsed
   * @returns false if the work on the period has changed @throws {LeaseLostError}
   */
  decide(fence: Fence, outcome: DecisionOutcome, decision: NewDecision): Promise<boolean>;
  /** Returns all seals in order, including reopened ones. */
  seals(): Promise<SealFact[]>;
  /** Seals whose last fact has a greater number, sorted by number. */
  sealsAfter(number: FactNumber, limit: number): Promise<SealFact[]>;
  /** @throws {ContentError} if the stored bytes were altered */
  sealFlows(seq: number): Promise<Uint8Array>;
  /**
   * Writes a seal and the close in the trail, unless the record store has facts after `head`, which the
   * seal would not cover, or the work on the period has changed.
   * @param close its detail gets the position and the SHA-256 of the seal
   * @returns undefined in these cases @throws {LeaseLostError}
   */
  writeSeal(
    fence: Fence,
    seal: NewSeal,
    head: FactNumber,
    close: Omit<NewDecision, 'period' | 'detail'>,
  ): Promise<SealFact | undefined>;
  /**
   * Reopens the last seal, and records it in the trail.
   * @returns undefined if the work on the period has changed @throws {LeaseLostError}
   */
  reopenSeal(fence: Fence, seq: number, decision: NewDecision): Promise<FactNumber | undefined>;
  /** SHA-256 of the stored content of each day. */
  contentChecksums(): Promise<Map<string, string>>;
  /** Returns a day's content by its SHA-256, current or kept for a seal, without verifying it. */
  sealedContent(day: string, checksum: string): Promise<Uint8Array | undefined>;
}

/** Outcomes of actions that take effect. All other outcomes are refusals and failures. */
export const decisionOutcomes = ['done', 'asked', 'lapsed'] as const;
export type DecisionOutcome = (typeof decisionOutcomes)[number];
