import type { Environment, FinancingCheckout } from '@financing-checkout/widget';
import type { FinancingMessage } from '@financing-checkout/widget/message';
import type { FinancingPrequalify } from '@financing-checkout/widget/prequalify';
import type { LitElement } from 'lit';

/** The properties that an element's class declares, excluding inherited properties and methods. */
type PropertiesOf<Element extends LitElement> = {
  [
    Name in keyof Element as Name extends keyof LitElement
      ? never
      : Element[Name] extends (...args: never) => unknown
        ? never
        : Name
  ]?: Element[Name] | undefined;
};

/**
 * The properties of the element. The class declares some as strings, because an attribute may be
 * any text.
 */
export interface FinancingCheckoutProperties extends Omit<
  PropertiesOf<FinancingCheckout>,
  'environment'
> {
  environment?: Environment | undefined;
}

/** Attributes whose names differ from those of their properties. */
export interface FinancingCheckoutAttributes {
  'public-key'?: string | undefined;
  'return-url'?: string | undefined;
}

/** The events of the element, by type. */
export type FinancingCheckoutEvents = Pick<
  HTMLElementEventMap,
  | 'financing-start'
  | 'financing-application'
  | 'financing-confirm'
  | 'financing-data-update'
  | 'financing-order-change'
  | 'financing-outcome'
  | 'financing-error'
>;

/** Event handlers, for frameworks that prefix the event type with `on`. */
type Handlers<Events> = {
  [Type in keyof Events & string as `on${Type}`]?: ((event: Events[Type]) => void) | undefined;
};
export type FinancingCheckoutHandlers = Handlers<FinancingCheckoutEvents>;

/** `qualify-href` → `qualifyHref` */
export type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** Event handlers of components, as props such as `onFinancingOutcome`. */
export type CamelCaseHandlers<Events> = {
  [Type in keyof Events & string as `on${Capitalize<CamelCase<Type>>}`]?:
    | ((event: Events[Type]) => void)
    | undefined;
};

/** The properties of a message. */
export interface FinancingMessageProperties extends Omit<PropertiesOf<FinancingMessage>, 'source'> {
  source?: 'service' | '' | null | undefined;
}

/** The attributes of a message that are not properties. */
export interface FinancingMessageAttributes {
  prequalify?: string | undefined;
  'qualify-href'?: string | undefined;
  sku?: string | undefined;
  'widget-type'?: string | undefined;
  'profile-id'?: string | undefined;
  'financing-page-url'?: string | undefined;
  'sdk-url'?: string | undefined;
  'public-key'?: string | undefined;
}

/** The events of a message, by type. */
export type FinancingMessageEvents = Pick<
  HTMLElementEventMap,
  'financing-message-shown' | 'financing-message-open' | 'financing-qualify'
>;

/** Event handlers of a message, for frameworks that prefix the event type with `on`. */
export type FinancingMessageHandlers = Handlers<FinancingMessageEvents>;

/** The properties of `<financing-prequalify>`. */
export interface FinancingPrequalifyProperties extends Omit<
  PropertiesOf<FinancingPrequalify>,
  'environment'
> {
  environment?: Environment | undefined;
}

/** The events of `<financing-prequalify>`, by type. */
export type FinancingPrequalifyEvents = Pick<
  HTMLElementEventMap,
  'financing-start' | 'financing-application' | 'financing-prequalify-outcome' | 'financing-error'
>;
export type FinancingPrequalifyHandlers = Handlers<FinancingPrequalifyEvents>;
