import type { ClientAddress } from '@financing-checkout/kit';
import type { CheckoutContext } from '../checkout/context.ts';
import type { TripWire } from '../keys/key-ring.ts';
import type { Meter } from '../platform/meter.ts';

export interface StorefrontContext extends CheckoutContext {
  tripWire: TripWire;
  meter: Meter;
  /** Returns the client address of a request. If undefined, there is no limit per address. */
  clientAddress: ClientAddress | undefined;
}
