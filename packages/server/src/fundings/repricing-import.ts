import type { Clock } from '../clock/clock.ts';
import type { LedgerImport } from '../reconciliation/ledger/ledger-import.ts';
import type { Store } from '../store/store.ts';
import type { FundingsSync } from './fundings-sync.ts';

/** How long whoever carried an import through is given to price fundings by it. */
const GRACE_MS = 300_000;

export interface RepricingContext {
  imports: LedgerImport;
  sync: Pick<FundingsSync, 'environment' | 'reprice'>;
  store: Pick<Store, 'findUnpriced' | 'endPricing'>;
  clock: Clock;
}

/**
 * An import after which fundings are in the currency that the ledger now says: also where the
 * companion that carried it through ended before that.
 */
export function repricingImport({ imports, sync, store, clock }: RepricingContext): LedgerImport {
  const { environment } = sync;

  /** @param graceMs for which an import is left to whoever carried it through */
  async function price(graceMs: number): Promise<void> {
    const unpriced = await store.findUnpriced(environment, clock.now() - graceMs);
    if (!unpriced) return;
    await sync.reprice();
    await store.endPricing(unpriced, unpriced.added);
  }

  async function resume(): Promise<number> {
    const changed = await imports.resume();
    await price(changed > 0 ? 0 : GRACE_MS);
    return changed;
  }

  return {
    ...imports,
    resume,
    async run(input, options) {
      // One that was left is not in the report of this one.
      await resume();
      const report = await imports.run(input, options);
      await price(0);
      return report;
    },
  };
}
