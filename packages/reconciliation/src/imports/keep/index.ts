export {
  type MerchantLedger,
  type CompanionLedgerContext,
  readCompanionLedger,
} from './companion-ledger.ts';
export { createLedgerImport, type LedgerImport } from './ledger-import.ts';
