import type {
  Environment,
  FinancingApplicationEvent,
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
