import type { HTMLAttributes } from 'vue';
import type {
  FinancingCheckoutEvents,
  FinancingCheckoutProperties,
  FinancingMessageAttributes,
  FinancingMessageEvents,
  FinancingMessageProperties,
  FinancingPrequalifyEvents,
  FinancingPrequalifyProperties,
} from './props.js';

type Camel<Type extends string> = Type extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Type;

/** Vue's view of an element: attributes and events in camel case. */
type Props<Properties, Events> = Properties & {
  [Type in keyof Events & string as `on${Capitalize<Camel<Type>>}`]?:
    ((event: Events[Type]) => void) | undefined;
} & HTMLAttributes;

type MessageAttributes = {
  [Name in keyof FinancingMessageAttributes as Camel<Name>]?: FinancingMessageAttributes[Name];
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
