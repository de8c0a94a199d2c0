import { ConfigurationError, configurePage } from '../companion/configuration.ts';
import type { Attributes, PageConfiguration, Settings } from '../companion/configuration.ts';

/** The element's properties. Removing an attribute sets its property to null. */
export interface PrequalifyAttributes extends Omit<Attributes, 'order' | 'phone' | 'scenario'> {
  readonly currency?: string | null | undefined;
  readonly amount?: number | string | null | undefined;
  readonly scenario?: string | null | undefined;
}

/** The validated settings of an application without a cart. */
export interface PrequalifyConfiguration extends PageConfiguration {
  readonly currency: string;
  /** In minor units. */
  readonly amount: number | undefined;
}

/** @throws {ConfigurationError} */
export function configurePrequalify(
  settings: Settings,
  { amount, currency }: PrequalifyAttributes,
): PrequalifyConfiguration {
  const page = configurePage(settings);
  if (!currency || !/^[A-Z]{3}$/.test(currency)) {
    throw new ConfigurationError(
      'currency-missing',
      'Set currency to an ISO 4217 code, such as USD.',
    );
  }
  const value = amount ? Number(amount) : undefined;
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 1)) {
    throw new ConfigurationError(
      'amount-invalid',
      'Set amount to whole minor units (129900 for $1,299.00), or remove it.',
    );
  }
  return { ...page, currency, amount: value };
}
