import { FinancingPrequalify } from '../prequalify/index.ts';
import { warnOfAmounts } from './warnings.ts';

export * from '../prequalify/index.ts';

warnOfAmounts(FinancingPrequalify);
