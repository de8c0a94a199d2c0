import type {
  Environment,
  FinancingApplicationEvent,
  FinancingConfirmEvent,
  FinancingDataUpdateEvent,
  FinancingErrorEvent,
  FinancingOrderChangeEvent,
  FinancingOutcomeEvent,
  FinancingStartEvent,
  Scenario,
  ScenarioName,
  TextOverrides,
} from '@financing-checkout/widget';
import type {
  FinancingMessageOpenEvent,
  FinancingMessageShownEvent,
  FinancingQualifyEvent,
} from '@financing-checkout/widget/message';
import type {
  FinancingPrequalifyOutcomeEvent,
  PrequalifyScenarioName,
  PrequalifyTextOverrides,
} from '@financing-checkout/widget/prequalify';

/** The properties of the element. */
export interface FinancingCheckoutProperties {
  publicKey?: string | undefined;
  environment?: Environment | undefined;
  companion?: string | undefined;
  order?: string | undefined;
  presentation?: string | undefined;
  phone?: boolean | undefined;
  locale?: string | undefined;
  returnUrl?: string | undefined;
  disabled?: boolean | undefined;
  debug?: boolean | undefined;
  scenario?: ScenarioName | Scenario | undefined;
  texts?: TextOverrides | undefined;
}

/** Attributes whose names differ from those of their properties. */
export interface FinancingCheckoutAttributes {
  'public-key'?: string | undefined;
  'return-url'?: string | undefined;
}

/** Its events, by type. */
export interface FinancingCheckoutEvents {
  'financing-start': FinancingStartEvent;
  'financing-application': FinancingApplicationEvent;
  'financing-confirm': FinancingConfirmEvent;
  'financing-data-update': FinancingDataUpdateEvent;
  'financing-order-change': FinancingOrderChangeEvent;
  'financing-outcome': FinancingOutcomeEvent;
  'financing-error': FinancingErrorEvent;
}

/** Event handlers of frameworks that prefix the event type with `on`. */
type Handlers<Events> = {
  [Type in keyof Events & string as `on${Type}`]?: ((event: Events[Type]) => void) | undefined;
};
export type FinancingCheckoutHandlers = Handlers<FinancingCheckoutEvents>;

/** `qualify-href` → `qualifyHref` */
export type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** Event handlers of components, by props such as `onFinancingOutcome`. */
export type CamelCaseHandlers<Events> = {
  [Type in keyof Events & string as `on${Capitalize<CamelCase<Type>>}`]?:
    ((event: Events[Type]) => void) | undefined;
};

/** The properties of a message. */
export interface FinancingMessageProperties {
  amount?: number | string | null | undefined;
  currency?: string | null | undefined;
  companion?: string | null | undefined;
  category?: string | null | undefined;
  locale?: string | null | undefined;
  source?: 'service' | '' | null | undefined;
}

/** The attributes of a message that are no properties. */
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
export interface FinancingMessageEvents {
  'financing-message-shown': FinancingMessageShownEvent;
  'financing-message-open': FinancingMessageOpenEvent;
  'financing-qualify': FinancingQualifyEvent;
}

/** Event handlers of a message, in frameworks that prefix the event type with `on`. */
export type FinancingMessageHandlers = Handlers<FinancingMessageEvents>;

/** The properties of the element without a cart. */
export interface FinancingPrequalifyProperties {
  publicKey?: string | undefined;
  environment?: Environment | undefined;
  companion?: string | undefined;
  currency?: string | undefined;
  amount?: string | undefined;
  presentation?: string | undefined;
  locale?: string | undefined;
  returnUrl?: string | undefined;
  disabled?: boolean | undefined;
  scenario?: PrequalifyScenarioName | undefined;
  texts?: PrequalifyTextOverrides | undefined;
}

/** Its events, by type. */
export interface FinancingPrequalifyEvents {
  'financing-start': FinancingStartEvent;
  'financing-application': FinancingApplicationEvent;
  'financing-prequalify-outcome': FinancingPrequalifyOutcomeEvent;
  'financing-error': FinancingErrorEvent;
}
export type FinancingPrequalifyHandlers = Handlers<FinancingPrequalifyEvents>;
