export { type MerchantLedger, readCompanionLedger } from './companion-ledger.ts';
export { createLedgerImport, type LedgerImport } from './ledger-import.ts';
