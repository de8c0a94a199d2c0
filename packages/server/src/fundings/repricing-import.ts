import type { LedgerImport } from '../reconciliation/ledger/ledger-import.ts';
import type { FundingsSync } from './fundings-sync.ts';

/** An import after which fundings are in the currency that the ledger now says. */
export function repricingImport(
  imports: LedgerImport,
  sync: Pick<FundingsSync, 'reprice'>,
): LedgerImport {
  async function resume(): Promise<number> {
    const changed = await imports.resume();
    if (changed > 0) await sync.reprice();
    return changed;
  }
  return {
    ...imports,
    resume,
    async run(input, options) {
      // One that was left is not in the report of this one.
      await resume();
      const report = await imports.run(input, options);
      if (report.applied && report.added + report.withdrawn > 0) await sync.reprice();
      return report;
    },
  };
}
