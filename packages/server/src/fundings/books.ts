import type { FundingSliceState, SyncState } from '@financing-checkout/contract/plain';
import { merchantOrderIdOf } from '../order-key.ts';
import type { HeldFunding } from './record.ts';
import type { ShareBooks, ShareName, ShareProgress } from './share-books.ts';
import type { StoredFunding } from './slice.ts';

/** How a day was read, and what is there. */
export interface SliceRow {
  day: string;
  state: FundingSliceState;
  reason: string | undefined;
  runId: string;
  passes: number;
  pages: number;
  overlaps: number;
  rows: number;
  changed: number;
  gone: number;
  quarantined: number;
  sums: CurrencySums;
  hash: string;
  zone: string;
  /** Milliseconds since 1970; undefined: never proven. */
  syncedAt: number | undefined;
}

/** By currency: how many fundings, and decimal text of their sums in minor units. Signs as they came. */
export type CurrencySums = Record<
  string,
  { count: number; transaction: string; discount: string; net: string }
>;

/** What was counted of a run, or of a share of it. */
export interface Tally {
  slicesDone: number;
  slicesUnproven: number;
  rows: number;
  changed: number;
  gone: number;
  quarantined: number;
}

/** A run of the sync. Times in milliseconds since 1970. */
export interface RunRow extends Tally {
  id: string;
  state: SyncState;
  reason: string | undefined;
  fromDay: string;
  toDay: string;
  zone: string;
  /** Whether only what is due by its age is read. */
  tiers: boolean;
  startedAt: number;
  resumed: number;
  endedAt: number | undefined;
  slicesPlanned: number;
}

/** A record that cannot be held. */
export interface QuarantinedRecord {
  id: string;
  day: string;
  orderKey: string;
  reason: string;
  raw: string;
}

/** What is written as one: all of it, or nothing. */
export interface FundingBatch {
  now: number;
  changed: readonly { funding: HeldFunding; stored: StoredFunding | undefined }[];
  /** Records of fundings that are new or change, in this batch or in a later one of the same day. */
  records?: readonly { id: string; raw: string }[] | undefined;
  gone: readonly { stored: StoredFunding; reason: 'superseded' | 'gone' }[];
  /** Takes the place of what was in quarantine for the day. */
  quarantine?: { day: string; records: readonly QuarantinedRecord[] } | undefined;
  /** A day of which records that no funding has are taken away. */
  sweep?: string | undefined;
  /** Leave quarantine: they could be held after all. */
  freed?: readonly string[] | undefined;
  /** Days whose sums are not what they were: until they are summed again, they have none. */
  unsummed?: readonly string[] | undefined;
  /** Days of which a funding is on another day by now: until they are read again, they are stale. */
  stale?: readonly string[] | undefined;
  slice?: SliceRow | undefined;
  /** How far the run is. */
  run?: RunRow | undefined;
  /** How far a share of it is: that of the fence. */
  share?: ShareProgress | undefined;
}

/** Why days are stale. */
export const MOVED = 'fundings moved meanwhile';

/** Who writes: the holder of a lease, or of a share under it, that nobody has taken since. */
export interface Fence {
  lease: string;
  holder: string;
  /** The days that are written; without it, whichever. */
  share?: ShareName | undefined;
}

/** The lease was taken by another one, or the share given out anew: what was to be written is not. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * The tables of fundings, for one environment, as the sync works on them: in bulk, with a
 * connection of its own. SQLite and PostgreSQL each have theirs; one suite holds for both.
 */
export interface FundingBooks {
  /** Takes or extends a lease. False while another one holds it. */
  takeLease(fence: Fence, now: number, until: number): Promise<boolean>;
  /** Extends a lease that is still held. */
  renewLease(fence: Fence, until: number): Promise<boolean>;
  /** Gives it back; nothing when it is another one's. */
  releaseLease(fence: Fence): Promise<void>;

  /** The last run that has not ended. */
  findRunning(): Promise<RunRow | undefined>;
  /** Slices of the days, both included, oldest first. */
  slices(fromDay: string, toDay: string): Promise<SliceRow[]>;

  /** The fundings of a day. */
  stored(day: string): Promise<StoredFunding[]>;
  /** Fundings with the same order and identity as one of these, of another day. */
  elsewhere(fundings: readonly { id: string; orderKey: string }[]): Promise<StoredFunding[]>;
  /** The one currency of each order, by ledger or checkout; orders without one are left out. */
  currencies(merchantOrderIds: readonly string[]): Promise<Map<string, string>>;
  sums(day: string): Promise<CurrencySums>;
  /**
   * Orders, after one and in order, of which a funding is in another currency than the ledger says, or
   * in one that only withdrawn lines said.
   */
  mispriced(after: string, limit: number): Promise<string[]>;
  /** Orders of which a record is in quarantine. */
  quarantinedOrders(): Promise<string[]>;
  /**
   * Writes a batch, with the old versions and the orders that have become dirty.
   * @throws {LeaseLostError}
   */
  write(fence: Fence, batch: FundingBatch): Promise<void>;
  /**
   * Reads what is held of orders, and their currencies, and writes what `work` makes of it, as one.
   * For who has no lease: it takes its turn with who has. `work` may be asked more than once.
   */
  rewrite(
    orderKeys: readonly string[],
    work: (records: RecordsOfOrders, currencies: Map<string, string>) => FundingBatch,
  ): Promise<void>;
  /** Sums up the days that have no sums, and counts what of them is in quarantine. */
  sumAgain(): Promise<void>;
  /** How companions share the days of a run; without it one reads them all. */
  readonly shares?: ShareBooks | undefined;
  close(): Promise<void>;
}

/** Records of orders, held or in quarantine. */
export interface RecordsOfOrders {
  held: (StoredFunding & { raw: string; day: string })[];
  quarantined: QuarantinedRecord[];
}

/** The lease of who writes fundings. */
export const fundingsLease = (environment: string) => `fundings:${environment}`;

/** The merchant's order ids in keys of orders. */
export function orderIdsOf(orderKeys: readonly string[]): string[] {
  return orderKeys.flatMap((key) => merchantOrderIdOf(key) ?? []);
}
