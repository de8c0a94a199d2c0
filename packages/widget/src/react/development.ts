'use client';
import { warnOfAmounts } from '../development/warnings.ts';
import { FinancingMessage as MessageElement } from '../message/index.ts';
import { FinancingPrequalify as PrequalifyElement } from '../prequalify/index.ts';

// By name: a client module of Next.js cannot export everything.
export { FinancingCheckout, FinancingMessage, FinancingPrequalify } from './index.ts';

warnOfAmounts(MessageElement);
warnOfAmounts(PrequalifyElement);
