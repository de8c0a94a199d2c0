import type { Environment } from '@financing-checkout/contract';
import type { Database } from '../../store/database.ts';
import { ledgerImports, type LedgerImportStore } from './import-store.ts';
import { ledgerProjection, type ProjectionStep } from './projection.ts';
import { type WithdrawnLine, withdrawals } from './withdrawal.ts';

/** What the merchant believes: the companion's own ledger, and what is imported. */
export interface LedgerLineStore extends LedgerImportStore {
  /**
   * Turns the next entries of the companion's own ledger into lines.
   * @param tell hears of what is about to be committed, and once more where that has to be done again
   */
  projectLedger(
    environment: Environment,
    now: number,
    tell?: (step: ProjectionStep) => void,
  ): Promise<ProjectionStep>;
  /** When the earliest line was written of, in milliseconds; undefined: there is none. */
  oldestLedgerLine(environment: Environment): Promise<number | undefined>;
  /** Lines that were taken out of an order's books, the latest 1,000 of them. */
  withdrawnLines(environment: string, orderKey: string): Promise<WithdrawnLine[]>;
}

export function ledgerLines(database: Database): LedgerLineStore {
  return {
    ...ledgerProjection(database),
    ...ledgerImports(database),
    ...withdrawals(database),
  };
}
