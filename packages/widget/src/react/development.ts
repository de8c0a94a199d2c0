'use client';
import { warnOfAmounts } from '../development/warnings.ts';
import { FinancingMessage as MessageElement } from '../message/index.ts';
import { FinancingPrequalify as PrequalifyElement } from '../prequalify/index.ts';

// Exported by name, because a client module in Next.js cannot use `export *`.
export { FinancingCheckout, FinancingMessage, FinancingPrequalify } from './index.ts';

warnOfAmounts(MessageElement);
warnOfAmounts(PrequalifyElement);
