import { define } from '../platform/define.ts';
import { FinancingPrequalify } from './financing-prequalify.ts';

export * from './index.ts';

define('financing-prequalify', FinancingPrequalify);
