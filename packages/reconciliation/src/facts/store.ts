import type { Environment } from '@financing-checkout/contract';
import type { ActionFacts } from './actions.ts';
import type {
  AlertResult,
  AlertRow,
  AlertState,
  CaseFact,
  CaseReader,
  CaseWriter,
  DueAlert,
  NewAlert,
} from './case-facts.ts';
import type { EndedSessions } from './ended-sessions.ts';
import type { FactNumber } from './fact-number.ts';

export type { FactNumber };

/** Fencing token of a lease holder: every write presents it. */
export interface Fence {
  holder: string;
  /** Increases with each holder: writes with an older number are rejected. */
  number: number;
}

/** Another process took the lease: nothing was written. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** The lease holder and the address of its API. */
export interface LeaseHolder {
  holder: string;
  /** Base address of its HTTP API; undefined: a command without one. */
  address: string | undefined;
  /** Milliseconds since 1970. */
  until: number;
}

export type DayState = 'complete' | 'stale' | 'unproven' | 'failed';

/** State of a funding day. Times are milliseconds since 1970. */
export interface FundingDay {
  /** `2026-01-31`, a day of `zone`. */
  day: string;
  number: FactNumber;
  state: DayState;
  reason: string | undefined;
  zone: string;
  syncId: string;
  passes: number;
  pages: number;
  overlaps: number;
  /** Number of records, and of new, changed and removed ones at the last change. */
  count: number;
  changed: number;
  gone: number;
  /** SHA-256 of the uncompressed content, in hexadecimal; empty: the day was never proven. */
  sha256: string;
  /** Last proof of the day; undefined: never. */
  provenAt: number | undefined;
}

/** Records that a day lost or that changed, from replaced contents. */
export interface SupersededContent {
  day: string;
  /** Number of the replacing fact. */
  number: FactNumber;
  replacedAt: number;
  count: number;
  sha256: string;
  content: Uint8Array;
}

/** What an import stands for: a later file of the same source and period corrects it. */
export interface ImportOrigin {
  /** As the person stated it, or from the name of the file. */
  source: string;
  isStated: boolean;
  /** SHA-256 of the names of the file's columns. */
  columns: string;
  /** Milliseconds since 1970, both included. */
  from: number;
  to: number;
}

export interface LedgerImportFact {
  id: string;
  number: FactNumber;
  action: 'add' | 'withdraw';
  source: 'import' | 'api';
  actor: string | undefined;
  /** SHA-256 of the original file, in hexadecimal. */
  digest: string;
  /** Lines that took effect: added or withdrawn. */
  count: number;
  at: number;
  /** Undefined for a withdrawal, for lines that a program sent, and for earlier versions. */
  origin?: ImportOrigin | undefined;
}

/** An import to write. */
export interface NewImport {
  fact: Omit<LedgerImportFact, 'number'>;
  /** Compressed NDJSON of the lines that take effect. */
  content: Uint8Array;
}

export interface ListedImportFact extends LedgerImportFact {
  /** Whether the import, or a file with its content, was withdrawn later. */
  isWithdrawn: boolean;
}

/** Returns the id of the withdrawal of an import: an import can be withdrawn once. */
export function withdrawalIdOf(importId: string): string {
  return `${importId}.withdrawal`;
}

export interface SyncRun {
  id: string;
  state: 'running' | 'complete' | 'partial' | 'failed';
  reason: string | undefined;
  fromDay: string;
  toDay: string;
  zone: string;
  /** Whether only days that are due by age are read. */
  tiers: boolean;
  startedAt: number;
  endedAt: number | undefined;
  resumed: number;
  daysPlanned: number;
  daysDone: number;
  daysUnproven: number;
  records: number;
  changed: number;
  gone: number;
  quarantined: number;
}

/**
 * The record store: data that cannot be computed again, numbered in one sequence. Behaves the same
 * on SQLite and PostgreSQL. Reads need no lease; a write presents its fence in the same
 * transaction, except for the trail of actions and the ended sessions, which are no facts to compute
 * with.
 */
export interface FactStore extends CaseReader, ActionFacts, EndedSessions {
  /** Random id of the store: an analytics file of another store is rejected. */
  readonly id: string;
  /** Number of the last fact. */
  head(): Promise<FactNumber>;
  /**
   * Binds the facts to an environment of the service and returns it; the first one stays. Facts of
   * two environments in one store would be added together.
   */
  bindEnvironment(environment: Environment): Promise<string>;
  /** The environment of the facts; undefined: no process has started with the store yet. */
  environment(): Promise<string | undefined>;

  takeLease(
    holder: string,
    address: string | undefined,
    now: number,
    until: number,
  ): Promise<Fence | undefined>;
  renewLease(fence: Fence, until: number): Promise<boolean>;
  releaseLease(fence: Fence): Promise<void>;
  leaseHolder(): Promise<LeaseHolder | undefined>;

  /** Days, oldest first. */
  days(from?: string, to?: string): Promise<FundingDay[]>;
  /** Days whose facts have greater numbers, sorted by number. */
  daysAfter(number: FactNumber, limit: number): Promise<FundingDay[]>;
  /** Compressed content of a day (`content.ts`); undefined: none. */
  content(day: string): Promise<Uint8Array | undefined>;
  /**
   * Writes the state of a day, with its content and superseded records if those changed.
   * @returns the number of the fact @throws {LeaseLostError}
   */
  writeDay(
    fence: Fence,
    day: Omit<FundingDay, 'number'>,
    change?: {
      content: Uint8Array;
      superseded?: { count: number; sha256: string; content: Uint8Array };
    },
    run?: SyncRun,
  ): Promise<FactNumber>;
  superseded(day: string): Promise<SupersededContent[]>;

  writeSync(fence: Fence, run: SyncRun): Promise<void>;
  sync(id: string): Promise<SyncRun | undefined>;
  /** Newest first. */
  syncs(limit: number, before?: string): Promise<SyncRun[]>;

  /**
   * Writes imports in the given order, in one transaction: a correction withdraws lines and adds others.
   * @param changeCases changes cases in the same transaction, like {@link FactStore.changeCases}
   * @returns the number of the last import @throws {LeaseLostError}
   */
  writeImports(
    fence: Fence,
    imports: readonly NewImport[],
    changeCases?: (cases: CaseWriter) => Promise<unknown>,
  ): Promise<FactNumber>;
  importsAfter(number: FactNumber, limit: number): Promise<LedgerImportFact[]>;
  /** Newest first. @param before number of the last one of the page before */
  imports(limit: number, before?: FactNumber): Promise<ListedImportFact[]>;
  /** Returns the imports with a source whose period overlaps this one, oldest first. */
  importsInPeriod(from: number, to: number): Promise<{ id: string; origin: ImportOrigin }[]>;
  importOf(id: string): Promise<ListedImportFact | undefined>;
  importContent(id: string): Promise<Uint8Array>;

  /** Cases whose last change has a greater number, sorted by number. */
  casesAfter(number: FactNumber, limit: number): Promise<CaseFact[]>;
  /**
   * Runs `work` in a transaction that excludes every other writer. Each case that it writes is one
   * fact. `work` must not write other facts, or it would deadlock.
   * @throws {LeaseLostError}
   */
  changeCases<Result>(fence: Fence, work: (cases: CaseWriter) => Promise<Result>): Promise<Result>;

  /** Messages to finance, oldest first. */
  alerts(query: { state?: AlertState; after?: string; limit: number }): Promise<AlertRow[]>;
  /** Queues a message that belongs to no case, once for its id. @throws {LeaseLostError} */
  queueAlert(fence: Fence, alert: NewAlert, now: number): Promise<void>;
  /** Claims due messages and postpones each until `until`. @throws {LeaseLostError} */
  claimAlerts(fence: Fence, now: number, until: number, limit: number): Promise<DueAlert[]>;
  /** Records the result of an attempt. @throws {LeaseLostError} */
  finishAlert(
    fence: Fence,
    alert: Pick<DueAlert, 'id' | 'tries'>,
    result: AlertResult,
    now: number,
  ): Promise<void>;
  /** Makes a message due again. @returns false if the id is unknown @throws {LeaseLostError} */
  replayAlert(fence: Fence, id: string, now: number): Promise<boolean>;

  /**
   * Removes superseded contents that were replaced before a moment.
   * @returns their number @throws {LeaseLostError}
   */
  removeSuperseded(fence: Fence, before: number): Promise<number>;

  /**
   * Copies the store into a file with mode 0600, which appears only when complete. The copy has its
   * own id: after a restore the facts continue differently, so it must not be used with an
   * analytics file of this store.
   * @throws {BackupError} for a store in PostgreSQL, or if the file cannot be written
   */
  backup(file: string): Promise<void>;

  close(): Promise<void>;
}
