import type { FinancingCheckout } from '@financing-checkout/widget';
import type { FinancingMessage } from '@financing-checkout/widget/message';
import type { FinancingPrequalify } from '@financing-checkout/widget/prequalify';
import type { JSX as Solid } from 'solid-js';
import type {
  FinancingCheckoutAttributes,
  FinancingCheckoutEvents,
  FinancingCheckoutProperties,
  FinancingMessageAttributes,
  FinancingMessageEvents,
  FinancingMessageProperties,
  FinancingPrequalifyEvents,
  FinancingPrequalifyProperties,
} from './props.js';

type Handlers<Events> = {
  [Type in keyof Events & string as `on:${Type}`]?: ((event: Events[Type]) => void) | undefined;
};

/** Solid: `import '@financing-checkout/widget/solid'` once, anywhere. Handlers are `on:…`. */
declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      'financing-checkout': FinancingCheckoutProperties &
        FinancingCheckoutAttributes &
        Handlers<FinancingCheckoutEvents> &
        Solid.HTMLAttributes<FinancingCheckout>;
      'financing-message': FinancingMessageProperties &
        FinancingMessageAttributes &
        Handlers<FinancingMessageEvents> &
        Solid.HTMLAttributes<FinancingMessage>;
      'financing-prequalify': FinancingPrequalifyProperties &
        FinancingCheckoutAttributes &
        Handlers<FinancingPrequalifyEvents> &
        Solid.HTMLAttributes<FinancingPrequalify>;
    }
  }
}
