import type { JournalFormatName } from '@financing-checkout/contract/reconciliation';
import type { JournalFormat } from '../format.ts';
import { beancount } from './beancount.ts';
import { csv } from './csv.ts';
import { datev } from './datev.ts';
import { hledger } from './hledger.ts';
import { netsuite } from './netsuite.ts';
import { quickbooks } from './quickbooks.ts';
import { xero } from './xero.ts';

/** All journal targets. */
export const journalFormatsByName: Readonly<Record<JournalFormatName, JournalFormat>> = {
  beancount,
  hledger,
  quickbooks,
  xero,
  netsuite,
  datev,
  csv,
};
