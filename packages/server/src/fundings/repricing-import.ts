import type { LedgerImport } from '../reconciliation/ledger/ledger-import.ts';
import type { FundingsSync } from './fundings-sync.ts';

/** An import after which fundings are in the currency that the ledger now says. */
export function repricingImport(
  imports: LedgerImport,
  sync: Pick<FundingsSync, 'reprice'>,
): LedgerImport {
  return {
    ...imports,
    async run(input, options) {
      const report = await imports.run(input, options);
      if (report.applied && report.added + report.withdrawn > 0) await sync.reprice();
      return report;
    },
  };
}
