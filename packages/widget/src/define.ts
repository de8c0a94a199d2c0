import { FinancingCheckout } from './financing-checkout.ts';
import { define } from './platform/define.ts';

export * from './index.ts';

define('financing-checkout', FinancingCheckout);
