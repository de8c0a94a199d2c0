import { FinancingMessage } from '../message/index.ts';
import { warnOfAmounts } from './warnings.ts';

export * from '../message/index.ts';

warnOfAmounts(FinancingMessage);
