import type { CheckoutContext } from '../../checkout/context.ts';
import type { LedgerImport } from '../../reconciliation/ledger/ledger-import.ts';
import type { ReconciliationPolicy } from '../../reconciliation/policy.ts';

/** What the routes of reconciliation work with. */
export type ReconciliationRoutesContext = Pick<
  CheckoutContext,
  'environment' | 'store' | 'service' | 'clock' | 'logger' | 'changed' | 'defaultCurrency'
> & {
  policy: ReconciliationPolicy;
  ledgerImport: LedgerImport | undefined;
};
