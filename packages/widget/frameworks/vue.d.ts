import type { HTMLAttributes } from 'vue';
import type {
  CamelCase,
  CamelCaseHandlers,
  FinancingCheckoutEvents,
  FinancingCheckoutProperties,
  FinancingMessageAttributes,
  FinancingMessageEvents,
  FinancingMessageProperties,
  FinancingPrequalifyEvents,
  FinancingPrequalifyProperties,
} from './props.js';

/** Vue's view of an element: attributes and events in camel case. */
type Props<Properties, Events> = Properties & CamelCaseHandlers<Events> & HTMLAttributes;

type MessageAttributes = {
  [Name in keyof FinancingMessageAttributes as CamelCase<Name>]?: FinancingMessageAttributes[Name];
};

/** Vue templates: `import '@financing-checkout/widget/vue'` once, anywhere. */
declare module 'vue' {
  interface GlobalComponents {
    'financing-checkout': new () => {
      $props: Props<FinancingCheckoutProperties, FinancingCheckoutEvents>;
    };
    'financing-prequalify': new () => {
      $props: Props<FinancingPrequalifyProperties, FinancingPrequalifyEvents>;
    };
    'financing-message': new () => {
      $props: Props<FinancingMessageProperties & MessageAttributes, FinancingMessageEvents>;
    };
  }
  interface HTMLAttributes {
    /** The slot of a custom element. Vue's own slots use another syntax. */
    slot?: string | undefined;
  }
}
