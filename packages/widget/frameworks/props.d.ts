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

/** The properties of the element. */
export interface FinancingCheckoutProperties {
  publicKey?: string | undefined;
  environment?: Environment | undefined;
  companion?: string | undefined;
  order?: string | undefined;
  presentation?: string | undefined;
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
export type FinancingCheckoutHandlers = {
  [Type in keyof FinancingCheckoutEvents as `on${Type}`]?:
    ((event: FinancingCheckoutEvents[Type]) => void) | undefined;
};
