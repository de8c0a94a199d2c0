import type { FinancingCheckout } from '@financing-checkout/widget';
import type { FinancingMessage } from '@financing-checkout/widget/message';
import type { HTMLAttributes } from 'preact';
import type {
  FinancingCheckoutAttributes,
  FinancingCheckoutHandlers,
  FinancingCheckoutProperties,
  FinancingMessageAttributes,
  FinancingMessageHandlers,
  FinancingMessageProperties,
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
    }
  }
}
