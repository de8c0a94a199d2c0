import type { CaseState, ExceptionCode } from '@financing-checkout/contract';
import type { FactNumber } from './store.ts';

/** An exception of an order in one currency. Amounts are minor units, times milliseconds since 1970. */
export interface ExceptionRow {
  orderKey: string;
  currency: string;
  code: ExceptionCode;
  amount: number;
  count: number;
  since: number;
  /** Changes with the lines of the order. */
  contentHash: string;
}

/** A case: at most one for each order, currency and code. */
export interface CaseRow extends ExceptionRow {
  id: string;
  state: CaseState;
  assignee: string | undefined;
  reason: string | undefined;
  openedAt: number;
  updatedAt: number;
  alertedAt: number | undefined;
}

/** A case as it is now, with the number of its last change. */
export interface CaseFact extends CaseRow {
  number: FactNumber;
}

/** An event of the audit trail, to the letter: its hash covers the letters. */
export interface CaseEvent {
  seq: number;
  caseId: string;
  at: number;
  kind: string;
  actor: string;
  /** JSON. */
  detail: string;
  /** Hash of the event before. */
  previous: string;
  hash: string;
  /** Idempotency-Key of the request that made it. */
  key: string | undefined;
}

/** Where a chain of events ends. */
export interface ChainHead {
  /** 0: there is no event yet. */
  seq: number;
  hash: string;
}

/** The hash before the first event. */
export const GENESIS = '0'.repeat(64);

export interface CaseQuery {
  state?: CaseState | undefined;
  /** Only cases that finance was not alerted of. */
  unalerted?: boolean | undefined;
  /** Cases behind this id. */
  after?: string | undefined;
  limit: number;
}

export interface CaseEventQuery {
  caseIds?: readonly string[];
  /** Events with a greater seq. */
  after: number;
  limit: number;
}

/** Cases and their audit trail, to read. Questions with filters go to the analytics database. */
export interface CaseReader {
  /** Returns where the audit trail ends. */
  caseChain(): Promise<ChainHead>;
  findCase(id: string): Promise<CaseFact | undefined>;
  /** Returns cases by id. */
  findCases(query: CaseQuery): Promise<CaseFact[]>;
  casesOfOrders(orderKeys: readonly string[]): Promise<CaseFact[]>;
  /** Returns events in the order of the trail. */
  caseEvents(query: CaseEventQuery): Promise<CaseEvent[]>;
  caseEventOfKey(key: string): Promise<CaseEvent | undefined>;
}

/** What changes together: one event and one fact for each case of the list. */
export interface CaseChanges {
  /** Where the trail ends with the events. */
  head: ChainHead;
  events: readonly CaseEvent[];
  /** The case of each event, in the same order. */
  cases: readonly CaseRow[];
  alerts: readonly NewAlert[];
  now: number;
}

/** Cases within a transaction in which no other one changes them. */
export interface CaseWriter extends CaseReader {
  writeCases(changes: CaseChanges): Promise<void>;
}

/** A message to finance, to be sent. */
export interface NewAlert {
  id: string;
  caseId: string;
  body: string;
}

export type AlertState = 'waiting' | 'delivered' | 'dead';

/** How far the delivery of a message is. */
export interface AlertRow {
  id: string;
  caseId: string;
  createdAt: number;
  tries: number;
  /** Undefined: delivered, or given up. */
  nextAttemptAt: number | undefined;
  deliveredAt: number | undefined;
  /** Why the last try failed. */
  reason: string | undefined;
}

/** A message that is to be sent now. */
export interface DueAlert extends NewAlert {
  /** With the one that follows. */
  tries: number;
}

export type AlertResult =
  | { kind: 'delivered' }
  | { kind: 'retry'; at: number; reason: string }
  | { kind: 'dead'; reason: string };
