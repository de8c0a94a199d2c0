import type { Environment } from '@financing-checkout/contract';
import type {
  AlertResult,
  AlertRow,
  AlertState,
  CaseFact,
  CaseReader,
  CaseWriter,
  DueAlert,
} from './case-facts.ts';

/** A place among the facts: counts up by one with each fact that is written. */
export type FactNumber = number;

/** Proof that its holder took the lease last: every write states it. */
export interface Fence {
  holder: string;
  /** Counts up with each holder: a writer with a smaller one writes nothing more. */
  number: number;
}

/** Another process took the lease: nothing was written. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** Who holds the lease, and where its API can be reached. */
export interface LeaseHolder {
  holder: string;
  /** Base address of its HTTP API; undefined: a command that has none. */
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
  /** Records of the content, and how many were new or changed, and went, when it last changed. */
  count: number;
  changed: number;
  gone: number;
  /** SHA-256 of the content, uncompressed, in hexadecimal; empty: the day was never proven. */
  sha256: string;
  /** When it was last proven; undefined: never. */
  provenAt: number | undefined;
}

/** Records that a day had and no longer has, or has in another form: what replaced contents held. */
export interface SupersededContent {
  day: string;
  /** Of the fact that replaced them. */
  number: FactNumber;
  replacedAt: number;
  count: number;
  sha256: string;
  content: Uint8Array;
}

export interface LedgerImportFact {
  id: string;
  number: FactNumber;
  action: 'add' | 'withdraw';
  source: 'import' | 'api';
  actor: string | undefined;
  /** SHA-256 of the file as it came, in hexadecimal. */
  digest: string;
  /** Lines that took effect: added to the books, or taken out. */
  count: number;
  at: number;
}

export interface SyncRun {
  id: string;
  state: 'running' | 'complete' | 'partial' | 'failed';
  reason: string | undefined;
  fromDay: string;
  toDay: string;
  zone: string;
  /** Whether only days that are due by their age are read. */
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
 * The record store: what cannot be computed again, numbered in one sequence. SQLite or PostgreSQL, the
 * same behind both. Reads need no lease; a write states its fence, in the same transaction.
 */
export interface FactStore extends CaseReader {
  /** Random, made with the store: an analytics file of another store is not used. */
  readonly id: string;
  /** Number of the last fact. */
  head(): Promise<FactNumber>;
  /**
   * Returns the environment of the service that the facts are of; the first one that is stated stays.
   * Facts of two environments in one store would be summed.
   */
  bindEnvironment(environment: Environment): Promise<string>;
  /** The environment that its facts are of; undefined: no process has started with it yet. */
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
  /** Days whose facts come after a number, in the order of numbers. */
  daysAfter(number: FactNumber, limit: number): Promise<FundingDay[]>;
  /** Compressed content of a day (`content.ts`); undefined: it has none. */
  content(day: string): Promise<Uint8Array | undefined>;
  /**
   * Writes the state of a day; with it the content, where that changed, and the records that it no longer holds.
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
   * @param replaced a withdrawal that comes before it, with it or not at all
   * @returns the number of the fact @throws {LeaseLostError}
   */
  writeImport(
    fence: Fence,
    fact: Omit<LedgerImportFact, 'number'>,
    content: Uint8Array,
    replaced?: { fact: Omit<LedgerImportFact, 'number'>; content: Uint8Array },
  ): Promise<FactNumber>;
  importsAfter(number: FactNumber, limit: number): Promise<LedgerImportFact[]>;
  importContent(id: string): Promise<Uint8Array>;

  /** Cases whose last change comes after a number, in the order of numbers. */
  casesAfter(number: FactNumber, limit: number): Promise<CaseFact[]>;
  /**
   * Runs `work` in one transaction in which no other one writes a fact. Each case that it writes is
   * one fact. `work` must not write any other fact: it would wait for itself.
   * @throws {LeaseLostError}
   */
  changeCases<Result>(fence: Fence, work: (cases: CaseWriter) => Promise<Result>): Promise<Result>;

  /** Messages to finance, oldest first. */
  alerts(query: { state?: AlertState; after?: string; limit: number }): Promise<AlertRow[]>;
  /** Takes messages that are due and postpones each until `until`. @throws {LeaseLostError} */
  claimAlerts(fence: Fence, now: number, until: number, limit: number): Promise<DueAlert[]>;
  /** Records the result of one try. @throws {LeaseLostError} */
  finishAlert(
    fence: Fence,
    alert: Pick<DueAlert, 'id' | 'tries'>,
    result: AlertResult,
    now: number,
  ): Promise<void>;
  /** Makes a message due again. @returns false: there is none of this id @throws {LeaseLostError} */
  replayAlert(fence: Fence, id: string, now: number): Promise<boolean>;

  /**
   * Removes superseded contents that were replaced before a moment.
   * @returns how many @throws {LeaseLostError}
   */
  removeSuperseded(fence: Fence, before: number): Promise<number>;

  /**
   * Copies the store into a file with mode 0600, which is there once it is whole. The copy has an id
   * of its own: facts that are written after it was put back are another history, and an analytics file of
   * this store must not be used with it.
   * @throws {BackupError} the store is in PostgreSQL, or the file cannot be written
   */
  backup(file: string): Promise<void>;

  close(): Promise<void>;
}
