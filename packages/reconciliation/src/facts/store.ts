import type { DeliveryResult } from '@financing-checkout/kit/outbox';
import type { Environment } from '@financing-checkout/contract/storefront';
import type {
  AlertState,
  CaseFact,
  CaseReader,
  CaseWriter,
  DueAlert,
  NewAlert,
} from './case-facts.ts';
import type { FactNumber, Fence } from './fact-number.ts';
import type {
  AlertRow,
  FundingDay,
  ImportOrigin,
  LedgerImportFact,
  SupersededContent,
  SyncRun,
} from './schema.ts';
import type { JournalFacts } from './journal-facts.ts';
import type { PeopleFacts } from './people.ts';
import type { PeriodFacts } from './period-facts.ts';
import type { SessionFacts } from './sessions.ts';
import type { TrailFacts } from './trail.ts';

export type { FactNumber, Fence };

/** Another process took over the lease; nothing was written. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** The lease holder and the URL of its API. */
export interface LeaseHolder {
  holder: string;
  /** Base URL of the holder's HTTP API; undefined for a command without one. */
  address: string | undefined;
  /** Milliseconds since 1970. */
  until: number;
}

export type {
  DayState,
  FundingDay,
  ImportOrigin,
  LedgerImportFact,
  SupersededContent,
  SyncRun,
} from './schema.ts';

export interface NewImport {
  fact: Omit<LedgerImportFact, 'number'>;
  /** Compressed NDJSON of the lines that take effect. */
  content: Uint8Array;
}

export interface ListedImportFact extends LedgerImportFact {
  /** Whether the import, or a file with the same content, was later withdrawn. */
  isWithdrawn: boolean;
}

/** Returns the id of an import's withdrawal. An import can be withdrawn only once. */
export function withdrawalIdOf(importId: string): string {
  return `${importId}.withdrawal`;
}

/**
 * The record store: data that cannot be recomputed, numbered in one sequence. Behaves the same on
 * SQLite and PostgreSQL. Reads require no lease. Each write presents its fencing token in the same
 * transaction, except for people, sessions and trail entries other than case events, from which no
 * data derives.
 */
export interface FactStore
  extends CaseReader, TrailFacts, PeopleFacts, SessionFacts, PeriodFacts, JournalFacts {
  /** Random id of the store; an analytics file of another store is rejected. */
  readonly id: string;
  /** Number of the last fact. */
  head(): Promise<FactNumber>;
  /**
   * Binds the facts to an environment of the service and returns it; the first binding is
   * permanent. Facts from two environments in one store would be added together.
   */
  bindEnvironment(environment: Environment): Promise<string>;
  /** Returns the environment of the facts; undefined: no process has started with the store yet. */
  environment(): Promise<string | undefined>;

  /**
   * Reads the database server's clock, which all processes share, in milliseconds since 1970. A
   * SQLite file has none: its processes share their machine's clock.
   */
  serverTime?(): Promise<number>;
  takeLease(
    holder: string,
    address: string | undefined,
    now: number,
    until: number,
  ): Promise<Fence | undefined>;
  renewLease(fence: Fence, until: number): Promise<boolean>;
  releaseLease(fence: Fence): Promise<void>;
  leaseHolder(): Promise<LeaseHolder | undefined>;

  /** Returns days, oldest first. */
  days(from?: string, to?: string): Promise<FundingDay[]>;
  /** Returns days whose facts have higher numbers, sorted by number. */
  daysAfter(number: FactNumber, limit: number): Promise<FundingDay[]>;
  /**
   * Returns a day's content, in Parquet; undefined if there is none.
   * @throws {ContentError} if the stored bytes were altered
   */
  content(day: string): Promise<Uint8Array | undefined>;
  /**
   * Writes a day's state, and its content and superseded records if they changed.
   * @returns the number of the fact @throws {LeaseLostError}
   */
  writeDay(
    fence: Fence,
    day: Omit<FundingDay, 'number'>,
    change?: {
      content: Uint8Array;
      superseded?: { count: number; digest: string; content: Uint8Array } | undefined;
    },
    run?: SyncRun,
  ): Promise<FactNumber>;
  superseded(day: string): Promise<SupersededContent[]>;

  writeSync(fence: Fence, run: SyncRun): Promise<void>;
  sync(id: string): Promise<SyncRun | undefined>;
  /** Newest first. */
  syncs(limit: number, before?: string): Promise<SyncRun[]>;

  /**
   * Writes imports in the given order, in one transaction, because a correction withdraws lines and
   * adds others.
   * @returns the number of the last import @throws {LeaseLostError}
   */
  writeImports(fence: Fence, imports: readonly NewImport[]): Promise<FactNumber>;
  importsAfter(number: FactNumber, limit: number): Promise<LedgerImportFact[]>;
  /** Returns imports, newest first. @param before number of the last import on the previous page */
  imports(limit: number, before?: FactNumber): Promise<ListedImportFact[]>;
  /** Returns the imports that have a source and whose period overlaps the given one, oldest first. */
  importsInPeriod(from: number, to: number): Promise<{ id: string; origin: ImportOrigin }[]>;
  importOf(id: string): Promise<ListedImportFact | undefined>;
  importContent(id: string): Promise<Uint8Array>;

  /** Returns cases whose last change has a higher number, sorted by number. */
  casesAfter(number: FactNumber, limit: number): Promise<CaseFact[]>;
  /**
   * Runs `work` in a transaction that excludes all other writers. Each case that `work` writes is
   * one fact. `work` must not write other facts, or it would deadlock.
   * @throws {LeaseLostError}
   */
  changeCases<Result>(fence: Fence, work: (cases: CaseWriter) => Promise<Result>): Promise<Result>;

  /** Returns messages to finance, oldest first. */
  alerts(query: { state?: AlertState; after?: string; limit: number }): Promise<AlertRow[]>;
  /** Queues a message that does not concern a case, once per id. @throws {LeaseLostError} */
  queueAlert(fence: Fence, alert: NewAlert, now: number): Promise<void>;
  /** Claims due messages and postpones each of them until `until`. @throws {LeaseLostError} */
  claimAlerts(fence: Fence, now: number, until: number, limit: number): Promise<DueAlert[]>;
  /** Records the result of a delivery attempt. @throws {LeaseLostError} */
  finishAlert(
    fence: Fence,
    alert: Pick<DueAlert, 'id' | 'tries'>,
    result: DeliveryResult,
    now: number,
  ): Promise<void>;
  /** Makes a message due again. @returns false if the id is unknown @throws {LeaseLostError} */
  replayAlert(fence: Fence, id: string, now: number): Promise<boolean>;

  /**
   * Removes superseded contents that were replaced before the given time.
   * @returns the number of removed contents @throws {LeaseLostError}
   */
  removeSuperseded(fence: Fence, before: number): Promise<number>;

  close(): Promise<void>;
}
