import type { Environment } from '@financing-checkout/contract';
import type { RunRow } from './books.ts';
import type { SyncSettings } from './settings.ts';

/** Days of the declared zone ("2026-01-31"), both included; without them, what is due by its age. */
export interface SyncRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** The sync as the rest of the companion uses it. */
export interface FundingsSync {
  readonly environment: Environment;
  readonly settings: SyncSettings;
  /**
   * Begins a sync, or takes up the one that was not ended.
   * @returns the run as it began
   * @throws {SyncBusyError} while another one is under way, here or in another replica
   */
  start(range: SyncRange): Promise<RunRow>;
  /** {@link start}, to the end. @throws {SyncBusyError} */
  run(range: SyncRange): Promise<RunRow>;
  /** Reads what is due by its age; nothing while another one does. For {@link ScheduledSync}. */
  runDue(): Promise<void>;
  /**
   * Reads a part of the days of a sync that another replica leads, where there are any to be taken.
   * @returns how many shares of it were read to their end
   */
  help(): Promise<number>;
  /**
   * Reads records again whose currency has become known since: after ledger lines were added. Of all
   * orders, or of some. @returns how many fundings changed
   */
  reprice(orderKeys?: readonly string[]): Promise<number>;
  /** Ends what is under way without reading its days to the end; the next start takes it up. */
  stop(): Promise<void>;
}
