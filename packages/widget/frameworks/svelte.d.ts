import type { FinancingCheckout } from '@financing-checkout/widget';
import type { FinancingMessage } from '@financing-checkout/widget/message';
import type { FinancingPrequalify } from '@financing-checkout/widget/prequalify';
import type { HTMLAttributes } from 'svelte/elements';
import type {
  FinancingCheckoutAttributes,
  FinancingCheckoutHandlers,
  FinancingCheckoutProperties,
  FinancingMessageAttributes,
  FinancingMessageHandlers,
  FinancingMessageProperties,
  FinancingPrequalifyHandlers,
  FinancingPrequalifyProperties,
} from './props.js';

/** Svelte 5: `import '@financing-checkout/widget/svelte'` once, anywhere. */
declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'financing-checkout': FinancingCheckoutProperties &
      FinancingCheckoutAttributes &
      FinancingCheckoutHandlers &
      HTMLAttributes<FinancingCheckout>;
    'financing-message': FinancingMessageProperties &
      FinancingMessageAttributes &
      FinancingMessageHandlers &
      HTMLAttributes<FinancingMessage>;
    'financing-prequalify': FinancingPrequalifyProperties &
      FinancingCheckoutAttributes &
      FinancingPrequalifyHandlers &
      HTMLAttributes<FinancingPrequalify>;
  }
}
