import type { ClientAddress } from '@financing-checkout/kit';
import type { CheckoutContext } from '../checkout/context.ts';
import type { TripWire } from '../keys/key-ring.ts';
import type { Meter } from '../platform/meter.ts';

/** The settings and the dependencies of the storefront API. */
export interface StorefrontContext extends CheckoutContext {
  tripWire: TripWire;
  meter: Meter;
  /** Returns the client address of a request. Without it, addresses are not limited. */
  clientAddress: ClientAddress | undefined;
}
