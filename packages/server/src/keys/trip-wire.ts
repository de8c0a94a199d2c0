import { readingsOf } from './encodings.ts';
import { KeyRing } from './key-ring.ts';
import type { PrivateKey } from './private-key.ts';

/** Returns whether a text contains a private key, in any encoding. */
export type TripWire = (text: string) => boolean;

/** Creates a trip-wire for the service client's keys, which it can detect but not read. */
export function createTripWire(keys: KeyRing | readonly PrivateKey[]): TripWire {
  return function containsPrivateKey(text) {
    if (keys instanceof KeyRing) return keys.isIn(text);
    const readings = readingsOf(text);
    return keys.some((key) => key.isIn(readings));
  };
}
