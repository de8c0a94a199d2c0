import type { HTMLAttributes } from 'vue';
import type {
  FinancingCheckoutEvents,
  FinancingCheckoutProperties,
  FinancingMessageAttributes,
  FinancingMessageEvents,
  FinancingMessageProperties,
} from './props.js';

type Camel<Type extends string> = Type extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Type;

/** Vue's view of handlers: event types in camel case. */
type Handlers<Events> = {
  [Type in keyof Events & string as `on${Capitalize<Camel<Type>>}`]?:
    ((event: Events[Type]) => void) | undefined;
};

/** Vue's view of the elements: attributes and events in camel case. */
type Props = FinancingCheckoutProperties & Handlers<FinancingCheckoutEvents> & HTMLAttributes;
type MessageProps = FinancingMessageProperties & {
  [Name in keyof FinancingMessageAttributes as Camel<Name>]?: FinancingMessageAttributes[Name];
} & Handlers<FinancingMessageEvents> &
  HTMLAttributes;

/** Vue templates: `import '@financing-checkout/widget/vue'` once, anywhere. */
declare module 'vue' {
  interface GlobalComponents {
    'financing-checkout': new () => { $props: Props };
    'financing-message': new () => { $props: MessageProps };
  }
  interface HTMLAttributes {
    /** The slot of a custom element. Vue's own slots use another syntax. */
    slot?: string | undefined;
  }
}
