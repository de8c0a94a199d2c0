import type { FinancingCheckout } from '@financing-checkout/widget';
import type { FinancingMessage } from '@financing-checkout/widget/message';
import type { FinancingPrequalify } from '@financing-checkout/widget/prequalify';
import type { HTMLAttributes } from 'preact';
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

/** Preact: `import '@financing-checkout/widget/preact'` once, anywhere. */
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
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
}
